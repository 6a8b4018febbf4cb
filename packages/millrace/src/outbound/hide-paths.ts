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
