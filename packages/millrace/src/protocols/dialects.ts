import { MillraceError } from '../errors/index.ts'
import { agUiDialect, type AgUiDialectOptions } from './ag-ui/index.ts'
import { aiSdkDialect } from './ai-sdk/index.ts'
import type { Dialect, EventDialect } from './port/index.ts'
import { jsonDialect } from './json/json-dialect.ts'
import { rawDialect } from './raw/raw-dialect.ts'
import { segmentsDialect } from './segments/segments-dialect.ts'
import { xmlDialect } from './xml/xml-dialect.ts'

/** The options of AG-UI that a request may choose. */
type AgUiChoices = Pick<AgUiDialectOptions, 'subagents' | 'cuts' | 'client'>

/** Makes a dialect with the options that the query of a request names. */
export type CreateDialect = (query: URLSearchParams) => Dialect

/** Every format in which a run can be read, by the name that `?format=` takes. */
export const dialects: Readonly<Record<string, CreateDialect>> = {
  'ag-ui': (query) => agUiDialect(readAgUiOptions(query)),
  'ai-sdk': createAiSdk,
  json: (query) => jsonDialect(readChoice(query, 'extensions', ['all', 'none'])),
  raw: () => rawDialect(),
  segments: (query) => segmentsDialect(readChoice(query, 'agents', ['all', 'root'])),
  xml: (query) => xmlDialect(readChoice(query, 'agents', ['all', 'root'])),
}

/** It mixes the words of sub-agents into the answer, and comes back by itself after a cut. */
const TANSTACK: AgUiChoices = { client: 'tanstack', subagents: 'drop', cuts: 'silent' }

/** What a request may choose of AG-UI. */
export function readAgUiOptions(query: URLSearchParams): AgUiChoices {
  const { client } = readChoice(query, 'client', ['any', 'tanstack'])
  return {
    ...(client === 'tanstack' && TANSTACK),
    ...readChoice(query, 'subagents', ['native', 'drop']),
    ...readChoice(query, 'cuts', ['error', 'silent']),
  }
}

/** Makes the dialect of the AI SDK. */
export function createAiSdk(query: URLSearchParams): EventDialect {
  return aiSdkDialect({
    ...readChoice(query, 'subagents', ['data', 'inline', 'drop']),
    ...readChoice(query, 'rollback', ['data', 'reset-step']),
  })
}

/** One option that has a few values; none if it is not there. */
function readChoice<const Name extends string, const Value extends string>(
  query: URLSearchParams,
  name: Name,
  values: readonly Value[],
): { readonly [Key in Name]?: Value } {
  const asked = query.get(name)
  if (asked === null) return {}
  const value = values.find((known) => known === asked)
  if (value !== undefined) return { [name]: value } as { readonly [Key in Name]?: Value }
  throw new MillraceError('bad_request', `\`${name}\` is one of ${values.join(', ')}.`)
}
