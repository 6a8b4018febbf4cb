import { showHiddenCharacters } from 'millrace'

const escape = '\u001b'

/** The colours of {@link createPaint}, the only escape sequences that commands print. */
const colours = new RegExp(`(${escape}\\[(?:[012]|3[123])m)`)

/**
 * Makes a text safe for a terminal: models, tools and files may have written parts of it, and an escape sequence in
 * them could move the cursor, hide text or inject input.
 */
export function toTerminalText(text: string): string {
  return text
    .split(colours)
    .map((part) => (colours.test(part) ? part : showHiddenCharacters(part)))
    .join('')
}
