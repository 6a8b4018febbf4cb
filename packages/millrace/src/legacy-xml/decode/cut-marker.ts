/** Checks whether the text ends inside a marker that may begin at `start`. */
export function isMarkerCut(marker: string, source: string, start: number): boolean {
  const seen = source.length - start
  return seen > 0 && seen < marker.length && marker.startsWith(source.slice(start))
}
