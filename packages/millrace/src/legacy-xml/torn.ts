/** Tells whether the text ends in the middle of the marker that may stand at `start`. */
export function isTorn(marker: string, source: string, start: number): boolean {
  const seen = source.length - start
  return seen > 0 && seen < marker.length && marker.startsWith(source.slice(start))
}
