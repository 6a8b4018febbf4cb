import { readField, readString } from '../../json/index.ts'

/** Languages that can be highlighted, by file extension. */
const languages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: ['sh', 'bash', 'zsh'],
    css: ['css'],
    diff: ['diff', 'patch'],
    go: ['go'],
    java: ['java'],
    javascript: ['js', 'jsx', 'mjs', 'cjs'],
    json: ['json'],
    python: ['py', 'pyi'],
    rust: ['rs'],
    sql: ['sql'],
    typescript: ['ts', 'tsx', 'mts', 'cts'],
    xml: ['xml', 'html', 'htm', 'svg'],
    yaml: ['yaml', 'yml'],
  }).flatMap(([language, endings]) => endings.map((ending) => [ending, language] as const)),
)

/** An input that is mainly text: a file to write, or code to run. */
export interface ShownInput {
  /** Label of the text. */
  readonly label: string
  /** Path of the file; empty without one. */
  readonly path: string
  readonly text: string
  /** Language for highlighting; empty for none. */
  readonly language: string
  /** Other fields of the input. */
  readonly rest: Readonly<Record<string, unknown>>
}

interface InputShape {
  readonly label: string
  /** Names of the tools with this shape. */
  readonly names: RegExp
  /** Fields that may hold the text. */
  readonly texts: readonly string[]
  /** Fields that may hold the path; one of them is required if there are any. */
  readonly paths: readonly string[]
  /** Language if neither the path nor the input has one. */
  readonly language: string
}

/** Shapes of inputs that are shown as text, the most specific first. */
const shapes: readonly InputShape[] = [
  {
    label: 'File',
    names: /(?:)/,
    texts: ['content', 'file_text', 'contents'],
    paths: ['path', 'file_path', 'filename'],
    language: '',
  },
  {
    label: 'Command',
    names: /^(?!.*edit).*(?:bash|shell|command|terminal|exec|run)/i,
    texts: ['command', 'cmd'],
    paths: [],
    language: 'bash',
  },
  {
    label: 'Code',
    names: /^(?!.*edit).*(?:python|code|script|eval|exec|run)/i,
    texts: ['code', 'script'],
    paths: [],
    language: 'python',
  },
]

/** A growing input with more than this beside its text is shown as JSON. */
const MAX_REST_FIELDS = 8
const MAX_REST_LENGTH = 200

/** Reads the input of a call as text if it mainly is text. The result can change while the input grows. */
export function readShownInput(
  name: string,
  input: unknown,
  isWhole: boolean,
): ShownInput | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  for (const shape of shapes) {
    const shown = shape.names.test(name) ? readShape(shape, input) : undefined
    if (shown) return isWhole || isSmall(shown.rest) ? shown : undefined
  }
  return undefined
}

function readShape(shape: InputShape, input: object): ShownInput | undefined {
  const textField = shape.texts.find((field) => readString(input, field) !== undefined)
  const pathField = shape.paths.find((field) => readString(input, field))
  if (textField === undefined) return undefined
  if (shape.paths.length > 0 && pathField === undefined) return undefined
  const path = pathField === undefined ? '' : (readString(input, pathField) ?? '')
  const named = shape.paths.length > 0 ? '' : readString(input, 'language')
  // No argument may be approved without being shown.
  const fields = Object.keys(input).filter((field) => field !== textField && field !== pathField)
  return {
    label: shape.label,
    path,
    text: readString(input, textField) ?? '',
    language: named?.toLowerCase() || languageOf(path) || shape.language,
    rest: Object.fromEntries(fields.map((field) => [field, readField(input, field)])),
  }
}

function isSmall(rest: ShownInput['rest']): boolean {
  const values = Object.values(rest)
  return values.length <= MAX_REST_FIELDS && values.every(isShort)
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_REST_LENGTH
  return typeof value !== 'object' || value === null
}

/** Returns the language of a file by its path; empty if it is not supported. */
function languageOf(path: string): string {
  const ending = /\.(\w{1,8})$/.exec(path)?.[1] ?? ''
  return languages.get(ending.toLowerCase()) ?? ''
}
