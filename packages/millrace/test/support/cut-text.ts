import fc from 'fast-check'

/** Returns an offset at which to cut a text of any length. */
export const cutList = fc.array(fc.nat(), { maxLength: 12 })

/** Cuts a text at positions taken modulo its length; pieces may be empty. */
export function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length]
  places.sort((a, b) => a - b)
  return places.slice(1).map((end, index) => text.slice(places[index] ?? 0, end))
}

/** A text whole, in single units, and cut at some positions. */
export function feedings(text: string, cuts: readonly number[]): string[][] {
  return [[text], text.split(''), cutAt(text, cuts)]
}
