import { type Formatter } from '../../formatters/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import { providerFeedings } from './provider-feedings.ts'

/** What one expectation of a case demands of the data of the messages; the answer lists what differs. */
export type Expectation = (wanted: JsonValue, data: readonly string[]) => string[]

/** How the formatters of one kind are checked. */
export interface FormattedCheck {
  create(input: JsonObject): Formatter
  /** One that is not here fails the case. */
  readonly expectations: Readonly<Record<string, Expectation>>
  /** What must be true of every output. */
  always?(data: readonly string[]): string[]
}

/** Formats the events of a case in every way of feeding them, and checks what comes out. */
export function checkFormatted(
  input: JsonObject,
  expected: JsonObject,
  { create, expectations, always = () => [] }: FormattedCheck,
): string[] {
  const given = input['events']
  const events = Array.isArray(given) ? given.filter(isJsonObject) : []
  return providerFeedings(events).flatMap(({ name, inputs }) => {
    const formatter = create(input)
    const frames = [...inputs].flatMap((one) => formatter.feed(one))
    const data = [...frames, ...formatter.finish()].map((frame) => frame.data ?? '')
    const faults = Object.entries(expected).flatMap(([key, wanted]) => {
      const expectation = Object.hasOwn(expectations, key) ? expectations[key] : undefined
      return (
        expectation?.(wanted, data) ?? [`${key}: an expectation that this runner does not know`]
      )
    })
    return [...faults, ...always(data)].map((fault) => `[${name}] ${fault}`)
  })
}

/** The options that all kinds of case share. */
export function formatterOptions(input: JsonObject) {
  return { agent: String(input['agent']), toolResults: input['stream_tool_results'] !== false }
}
