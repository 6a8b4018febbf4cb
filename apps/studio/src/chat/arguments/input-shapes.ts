import { readField, readString } from '../../json/index.ts'
import { languageOf } from './language-of.ts'

/** An input that is a text above all: a file to write, or something to run. */
export interface ShownInput {
  /** What to call the text. */
  readonly label: string
  /** The path of a file; empty for what has none. */
  readonly path: string
  readonly text: string
  /** The language to colour it in, empty for none. */
  readonly language: string
  /** What else is in the input. */
  readonly rest: Readonly<Record<string, unknown>>
}

interface InputShape {
  readonly label: string
  /** The tools that it is looked for in. */
  readonly names: RegExp
  /** The fields in which the text may stand. */
  readonly texts: readonly string[]
  /** The fields in which the path may stand; one of them must be there if there are any. */
  readonly paths: readonly string[]
  /** The language if neither the path nor the input names one. */
  readonly language: string
}

/** All inputs that are shown as text, most telling first. */
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

/** While an input is written, more than this beside its text is shown as the JSON that it is. */
const MAX_REST_FIELDS = 8
const MAX_REST_LENGTH = 200

/** The input of a call as text if it is mostly that; one that still grows may become so, or no longer be. */
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
  // No argument may be approved unseen.
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
