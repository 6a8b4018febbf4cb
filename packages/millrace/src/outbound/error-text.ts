import { redactText } from './secrets/redact-text.ts'
import { isMarkup, stripMarkup, titleOf } from './strip-markup.ts'

const maxShownChars = 2_000

/** Maximum length of a provider's error text for the log. */
const maxKeptChars = 4_000

/** Maximum length of an error that is examined. A gateway may answer with megabytes of HTML. */
const maxReadChars = 16_384

/** Cleans a provider's error text for readers and for the log. */
export function toProviderErrorTexts(text: string) {
  const masked = maskAll(text.slice(0, maxReadChars))
  // Markup can hide a secret, for example in entities. The stripped text is therefore masked again.
  const plain = isMarkup(masked) ? maskAll(describePage(masked)) : masked
  const line = hidePaths(removeStackFrames(plain)).replace(/\s+/g, ' ').trim()
  return {
    /** For readers: short, without markup, file paths and secrets. */
    shown: cut(line, maxShownChars),
    /** For the server's log: the original text without secrets. */
    original: cut(masked, maxKeptChars),
  }
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

const hidden = '[path]'

/** Top-level folders of file systems. Any other path, such as `/v1/messages`, belongs to an API. */
const roots =
  /^\/(?:app|apps|bin|boot|build|code|data|dev|etc|export|home|lib|lib64|Library|media|mnt|nix|opt|private|proc|root|run|runner|sbin|snap|srv|sys|tmp|usr|Users|var|vol|Volumes|work|workdir|workspace|www)(?:\/|$)/

const windows = /^(?:[A-Za-z]:[\\/]|\\\\[\w.-])/
const fileUrl = /^file:\/\//i

/** A last path segment that names a file, with an optional line and column. */
const fileName = /^[^/]{1,255}\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d{1,9}){0,2}$/
const home = /^~\/./

/** Characters that surround a path in prose. */
const leads = new Set('"\'`([{<=,')
const trails = new Set('"\'`)]}>,;:.!?')

/** Maximum length of an examined word. A longer one is not a path. */
const maxWordChars = 4096

/** Replaces absolute file paths. Keeps the paths of an API. */
export function hidePaths(text: string): string {
  return text.replace(/\S+/g, (word) => (word.length > maxWordChars ? word : hideIn(word)))
}

function hideIn(word: string): string {
  let from = 0
  let to = word.length
  while (from < to && leads.has(word.charAt(from))) from++
  while (to > from && trails.has(word.charAt(to - 1))) to--
  const inner = word.slice(from, to)
  // `path=/srv/app` and `ENOENT:/srv/app` have a prefix before the path.
  const mark = /^[\w.-]{1,64}[=:](?=[/~\\]|[A-Za-z]:\\)/.exec(inner)?.[0] ?? ''
  const path = fileUrl.test(inner) || windows.test(inner) ? inner : inner.slice(mark.length)
  if (!isPath(path)) return word
  return `${word.slice(0, from)}${path === inner ? '' : mark}${hidden}${word.slice(to)}`
}

function isPath(text: string): boolean {
  if ([roots, windows, fileUrl, home].some((pattern) => pattern.test(text))) return true
  const slash = text.lastIndexOf('/')
  return /^(?:~|\.{1,2})?\/[^/]/.test(text) && slash > 1 && fileName.test(text.slice(slash + 1))
}
