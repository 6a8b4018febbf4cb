/** Formats a time for people: `250 ms`, `2,013 ms`, `3 s`, `61.4 s`. */
export function toTime(ms: number): string {
  const inSeconds = ms >= 10_000 || (ms >= 1_000 && Math.round(ms) % 1_000 === 0)
  const value = inSeconds ? Math.round(ms / 100) / 10 : Math.round(ms)
  return `${value.toLocaleString('en-US')} ${inSeconds ? 's' : 'ms'}`
}

/** Formats a size for people: `640 bytes`, `4 KB`. */
export function toSize(bytes: number): string {
  return bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KB`
}
