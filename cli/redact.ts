/** Hides passwords of URLs and of key=value connection strings wherever they stand in `text`. */
export function redact(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*):[^\s]*@/gi, "$1:***@")
    .replace(/(\b(?:password|passwd|pwd|secret|token)\s*=\s*)('[^']*'|[^\s&'";]+)/gi, "$1***");
}
