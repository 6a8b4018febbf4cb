import { redactText } from './secrets/redact-text.ts'
import { hidePaths } from './hide-paths.ts'
import { isMarkup, stripMarkup, titleOf } from './strip-markup.ts'

/** Maximum length of a provider's error text for readers. */
const maxShownChars = 2_000

/** Maximum length of a provider's error text for the log. */
const maxKeptChars = 4_000

/** Maximum length of an error that is examined. A gateway may answer with megabytes of HTML. */
const maxReadChars = 16_384

/** A provider's error text in its two external forms. */
interface ProviderErrorTexts {
  /** For readers: short, without markup, file paths and secrets. */
  readonly shown: string
  /** For the server's log: the original text without secrets. */
  readonly original: string
}

/** Cleans a provider's error text for readers and for the log. */
export function toProviderErrorTexts(text: string): ProviderErrorTexts {
  const masked = maskAll(text.slice(0, maxReadChars))
  // Markup can hide a secret, for example in entities. The stripped text is therefore masked again.
  const plain = isMarkup(masked) ? maskAll(describePage(masked)) : masked
  const line = hidePaths(removeStackFrames(plain)).replace(/\s+/g, ' ').trim()
  return { shown: cut(line, maxShownChars), original: cut(masked, maxKeptChars) }
}

function maskAll(text: string): string {
  return redactText(text, [], { masksTokens: true })
}

/** Masks the secrets in a tool's error text, for the model and the log. Changes nothing else. */
export function toToolErrorText(text: string): string {
  return redactText(text)
}

/** Describes an HTML page by its title, or by its text if it has no title. */
function describePage(text: string): string {
  const start = text.indexOf('<')
  const before = text.slice(0, start)
  const title = titleOf(text)
  if (title !== undefined) return `${before}${notTheApi}: “${title}”`
  const plain = stripMarkup(text.slice(start)).trim()
  return `${before} ${plain === '' ? notTheApi : plain}`
}

const notTheApi =
  'a page of HTML instead of a response of the model’s API; check the address and any proxy'

/** Removes the lines of a stack trace: they reveal paths of the server. */
function removeStackFrames(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s{0,16}at\s\S/.test(line))
    .join('\n')
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  // Half a surrogate pair is not valid text.
  return `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}…`
}
