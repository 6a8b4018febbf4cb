/** Stands where a path of a file was. */
const hidden = '[path]'

/** Folders at the top of file systems; other paths, such as `/v1/messages`, are those of an API. */
const roots =
  /^\/(?:app|apps|bin|boot|build|code|data|dev|etc|export|home|lib|lib64|Library|media|mnt|nix|opt|private|proc|root|run|runner|sbin|snap|srv|sys|tmp|usr|Users|var|vol|Volumes|work|workdir|workspace|www)(?:\/|$)/

const windows = /^(?:[A-Za-z]:[\\/]|\\\\[\w.-])/
const fileUrl = /^file:\/\//i

/** The last part of a path that names a file, perhaps with a line and a column. */
const fileName = /^[^/]{1,255}\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d{1,9}){0,2}$/

const home = /^~\/./

/** The characters that stand before and after a path in prose. */
const leads = new Set('"\'`([{<=,')
const trails = new Set('"\'`)]}>,;:.!?')

/** The longest word that is looked at; a longer one is no path. */
const maxWordChars = 4096

/** Replaces absolute paths of files; leaves the paths of an API. */
export function hidePaths(text: string): string {
  return text.replace(/\S+/g, (word) => (word.length > maxWordChars ? word : hideIn(word)))
}

function hideIn(word: string): string {
  let from = 0
  let to = word.length
  while (from < to && leads.has(word.charAt(from))) from++
  while (to > from && trails.has(word.charAt(to - 1))) to--
  const inner = word.slice(from, to)
  // `path=/srv/app` and `ENOENT:/srv/app` name the path after a mark.
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
