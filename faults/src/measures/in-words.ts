/** Formats a count for people: `1,000,000`. */
export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** Formats bytes in millions. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
