/**
 * Hides, wherever they stand in `text`, passwords of URLs and of key=value connection strings, keys
 * in base64 as `ckpt keygen` prints them, and password vaults.
 */
export function redact(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*):[^\s]*@/gi, "$1:***@")
    .replace(/(\b(?:password|passwd|pwd|secret|token)\s*=\s*)('[^']*'|[^\s&'";]+)/gi, "$1***")
    .replace(/[A-Za-z0-9+/_-]{43}=(?![A-Za-z0-9=])/g, "***")
    .replace(/\$ckpt-[^\s"']+/g, "***");
}
