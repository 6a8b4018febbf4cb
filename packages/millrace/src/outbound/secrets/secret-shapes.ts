/**
 * What credentials look like, wherever they stand. `(?<!…)` keeps words that merely contain a prefix: `task-…`
 * is no `sk-…`. No pattern repeats a group, so that none takes long on a text that almost matches.
 */
const shapes: readonly RegExp[] = [
  // Anthropic, and others that say whose key it is
  /sk-(?:ant|proj|svcacct|admin|or|lf)-[\w-]{8,}/,
  // OpenAI, DeepSeek and many compatible services; `sk-learn-contrib` is made of words
  /(?<![A-Za-z0-9])c?sk-[A-Za-z0-9]{16,}[\w-]*/,
  /(?<![A-Za-z0-9])c?sk-(?=[A-Za-z_-]*\d)[\w-]{16,}/,
  /(?<![A-Za-z0-9])[sr]k_(?:live|test)_\w{10,}/,
  // AWS: the id of a key
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
  // JSON Web Tokens, signed or encrypted; a head this long without a dot is the beginning of one
  /(?<![A-Za-z0-9])eyJ[\w-]{8,}\.[\w.-]{8,}/,
  /(?<![A-Za-z0-9])eyJ[\w-]{400,}/,
  // Organisations, projects and workspaces
  /(?<![A-Za-z0-9])(?:org|proj|user)[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{16,}/,
  /(?<![A-Za-z0-9])(?:wrkspc|apikey)_[A-Za-z0-9]{12,}/,
]

const anyShape = new RegExp(shapes.map(({ source }) => `(?:${source})`).join('|'), 'g')

/** A part of a text, from one place to before another. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The shortest of the shapes: `sk-ant-` or `xoxb-` and what must follow. */
const minShapeChars = 15

/** Finds what looks like a credential in a word: letters, digits and `_-+/.~%`. */
export function findShapes(word: string): Span[] {
  if (word.length < minShapeChars) return []
  const spans = isSecretAccessKey(word) ? [{ from: 0, to: word.length }] : []
  for (const { index, 0: text } of word.matchAll(anyShape)) {
    spans.push({ from: index, to: index + text.length })
  }
  return spans
}

/** In random base64 three of five neighbours differ in kind, in a path or a name few do. */
const minTurns = 12

/** AWS's secret keys have no mark of their own but their length of 40. */
function isSecretAccessKey(word: string): boolean {
  if (word.length !== 40 || !/^[A-Za-z0-9+/]+$/.test(word)) return false
  if (!/\d/.test(word) || !/[a-z]/.test(word) || !/[A-Z]/.test(word)) return false
  const kinds = word.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/\d/g, '0')
  return kinds.replace(/(.)\1+/g, '$1').length > minTurns
}

/** Tells whether a value of unknown meaning may be a credential: long, and of letters and digits. */
export function looksLikeToken(word: string): boolean {
  if (word.length >= 32) return true
  return word.length >= 20 && /\d/.test(word) && /[A-Za-z]/.test(word)
}
