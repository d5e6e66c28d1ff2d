/** What can be wrong with the plain file store; each is off in a good one. */
export interface Defects {
  /** Appends behind whatever the file ends with. */
  readonly joinsTornTail?: boolean;
  /** Reads up to the first line that is no record, and says nothing. */
  readonly stopsAtBadLines?: boolean;
  /** Leaves out lines that are no records, and says nothing. */
  readonly skipsBadLines?: boolean;
  /** Says that an append is done, and then syncs it. */
  readonly syncsLater?: boolean;
  /** Takes a failed write for a successful one. */
  readonly swallowsWriteErrors?: boolean;
  /** Tries a failed sync again, and believes the second answer. */
  readonly syncsAgain?: boolean;
  /** Never syncs, although it claims to survive a power cut. */
  readonly neverSyncs?: boolean;
  /** Syncs files and never the directory that names them. */
  readonly forgetsDirectories?: boolean;
  /** Truncates the file where it is: empties it, and writes what stays. */
  readonly truncatesInPlace?: boolean;
  /** Writes each record of a batch with a line of its own. */
  readonly writesRecordsOneByOne?: boolean;
  /** Empties a session that is deleted, and removes its file later. */
  readonly deletesInTwoSteps?: boolean;
  /** Fails when somebody else has made the store's folder in the same moment. */
  readonly wantsToCreateTheFolder?: boolean;
  /** Keeps the lock of a dead process for ever. */
  readonly locksForEver?: boolean;
  /** Takes a lock over when it looks old, and does not look again whether it still has its own. */
  readonly takesOldLocks?: boolean;
  /** Takes no lock. */
  readonly takesNoLock?: boolean;
  /** Shows every file in its folder as a session. */
  readonly listsEverything?: boolean;
  /** Makes a path of the id as it is. */
  readonly joinsIdsToPaths?: boolean;
}
