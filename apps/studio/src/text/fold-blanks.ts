/** A part of a text as it is drawn: characters, or a run of blanks that is drawn as its length. */
export type FoldedPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'lines' | 'spaces'; readonly text: string; readonly count: number }

/** Shorter runs of blank lines or spaces are drawn as they are. */
const MIN_LINES = 5
const MIN_SPACES = 40

const blanks = new RegExp(
  String.raw`(?<=^|\n)(?:[ \t\r]*\n){${MIN_LINES},}|[ \t]{${MIN_SPACES},}`,
  'g',
)

/** Splits a text at long runs of blank lines and spaces, which could move the rest out of sight. */
export function foldBlanks(text: string): readonly FoldedPiece[] {
  const pieces: FoldedPiece[] = []
  let end = 0
  for (const { 0: run, index } of text.matchAll(blanks)) {
    if (index > end) pieces.push({ kind: 'text', text: text.slice(end, index) })
    pieces.push(
      run.endsWith('\n')
        ? { kind: 'lines', text: run, count: run.split('\n').length - 1 }
        : { kind: 'spaces', text: run, count: run.length },
    )
    end = index + run.length
  }
  if (end < text.length || text === '') pieces.push({ kind: 'text', text: text.slice(end) })
  return pieces
}
