/**
 * Patterns of credentials. `(?<!…)` excludes words that only contain a prefix: `task-…` is not `sk-…`. No pattern
 * repeats a group, so that an almost matching text takes linear time.
 */
const shapes: readonly RegExp[] = [
  // Anthropic and other providers with a prefix of their own
  /sk-(?:ant|proj|svcacct|admin|or|lf)-[\w-]{8,}/,
  // OpenAI, DeepSeek and many compatible services; `sk-learn-contrib` consists of words
  /(?<![A-Za-z0-9])c?sk-[A-Za-z0-9]{16,}[\w-]*/,
  /(?<![A-Za-z0-9])c?sk-(?=[A-Za-z_-]*\d)[\w-]{16,}/,
  /(?<![A-Za-z0-9])[sr]k_(?:live|test)_\w{10,}/,
  // AWS: key id
  /(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])/,
  // Google
  /AIza[\w-]{30,}/,
  /(?<![A-Za-z0-9])ya29\.[\w.-]{16,}/,
  // GitHub, GitLab, Slack, Hugging Face, npm
  /gh[pousr]_[A-Za-z0-9]{20,}/,
  /github_pat_\w{20,}/,
  /glpat-[\w-]{16,}/,
  /(?<![A-Za-z0-9])xox[abeoprs]-[\w-]{10,}/,
  /(?<![A-Za-z0-9])(?:hf|npm|r8)_[A-Za-z0-9]{20,}/,
  // Groq, xAI, Perplexity, NVIDIA
  /(?<![A-Za-z0-9])(?:gsk_|xai-|pplx-|nvapi-)[\w-]{20,}/,
  // JSON Web Tokens, signed or encrypted; a header this long without a dot is the start of one
  /(?<![A-Za-z0-9])eyJ[\w-]{8,}\.[\w.-]{8,}/,
  /(?<![A-Za-z0-9])eyJ[\w-]{400,}/,
  // Organisations, projects and workspaces
  /(?<![A-Za-z0-9])(?:org|proj|user)[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{16,}/,
  /(?<![A-Za-z0-9])(?:wrkspc|apikey)_[A-Za-z0-9]{12,}/,
]

const anyShape = new RegExp(shapes.map(({ source }) => `(?:${source})`).join('|'), 'g')

/** A range of a text; `to` is exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Length of the shortest match: `sk-ant-` or `xoxb-` and its minimum suffix. */
const minShapeChars = 15

/** Finds credentials in a word of letters, digits and `_-+/.~%`. */
export function findShapes(word: string): Span[] {
  if (word.length < minShapeChars) return []
  const spans = isSecretAccessKey(word) ? [{ from: 0, to: word.length }] : []
  for (const { index, 0: text } of word.matchAll(anyShape)) {
    spans.push({ from: index, to: index + text.length })
  }
  return spans
}

/** Minimum number of changes of kind. In random base64 three of five neighbours differ in kind, in paths and names few do. */
const minTurns = 12

/** Checks for an AWS secret key. Its only fixed property is its length of 40. */
function isSecretAccessKey(word: string): boolean {
  if (word.length !== 40 || !/^[A-Za-z0-9+/]+$/.test(word)) return false
  if (!/\d/.test(word) || !/[a-z]/.test(word) || !/[A-Z]/.test(word)) return false
  const kinds = word.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/\d/g, '0')
  return kinds.replace(/(.)\1+/g, '$1').length > minTurns
}

/** Checks whether a value of unknown meaning may be a credential: long, with letters and digits. */
export function looksLikeToken(word: string): boolean {
  if (word.length >= 32) return true
  return word.length >= 20 && /\d/.test(word) && /[A-Za-z]/.test(word)
}
