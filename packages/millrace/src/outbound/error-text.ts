import { redactText } from './secrets/redact-text.ts'
import { hidePaths } from './hide-paths.ts'
import { isMarkup, stripMarkup, titleOf } from './strip-markup.ts'

/** The longest text of a provider's error that readers are shown. */
const maxShownChars = 2_000

/** The longest text of a provider's error that a log is given. */
const maxKeptChars = 4_000

/** What is read of an error at most; a gateway may answer with a page of megabytes. */
const maxReadChars = 16_384

/** The error of a provider in the two forms that leave the process. */
export interface ProviderErrorTexts {
  /** For readers: short, without markup, paths of files and secrets. */
  readonly shown: string
  /** For the server's log: as it came, without secrets. */
  readonly original: string
}

/** Makes the text of a provider's error fit to leave the process. */
export function toProviderErrorTexts(text: string): ProviderErrorTexts {
  const masked = maskAll(text.slice(0, maxReadChars))
  // Markup may have hidden a secret, in entities for one, so what is left without it is masked as well.
  const plain = isMarkup(masked) ? maskAll(describePage(masked)) : masked
  const line = hidePaths(withoutFrames(plain)).replace(/\s+/g, ' ').trim()
  return { shown: cut(line, maxShownChars), original: cut(masked, maxKeptChars) }
}

function maskAll(text: string): string {
  return redactText(text, [], { masksTokens: true })
}

/** Makes the text of a tool's error fit for the model and the log: secrets are masked, all else stays. */
export function toToolErrorText(text: string): string {
  return redactText(text)
}

/** A page says in its title what happened; one without a title is told as plain text. */
function describePage(text: string): string {
  const start = text.indexOf('<')
  const before = text.slice(0, start)
  const title = titleOf(text)
  if (title !== undefined) return `${before}${notTheApi}: “${title}”`
  const plain = stripMarkup(text.slice(start)).trim()
  return `${before} ${plain === '' ? notTheApi : plain}`
}

const notTheApi = 'a page of HTML, so this is not the model’s API or something stands before it'

/** Lines of a stack tell where a server keeps its files. */
function withoutFrames(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s{0,16}at\s\S/.test(line))
    .join('\n')
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  // Half a surrogate pair would be no text any more.
  return `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}…`
}
