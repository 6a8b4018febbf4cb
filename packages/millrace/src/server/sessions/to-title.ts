import type { Prompt } from '../../events/index.ts'

const maxCharacters = 80

/** Creates the title of a session: the beginning of its first prompt. */
export function toTitle(prompt: Prompt): string {
  const text = typeof prompt === 'string' ? prompt : firstText(prompt)
  // Truncated before the pattern runs, so that the cost is the same for any prompt.
  const line = text
    .slice(0, maxCharacters * 4)
    .replace(/\s+/g, ' ')
    .trim()
  const characters = Array.from(line)
  if (characters.length <= maxCharacters) return line === '' ? 'Untitled' : line
  return `${characters.slice(0, maxCharacters - 1).join('')}…`
}

function firstText(blocks: Exclude<Prompt, string>): string {
  for (const { text } of blocks) if (typeof text === 'string') return text
  return ''
}
