import {
  chunkPayload,
  createJoiner,
  decodeEnvelope,
  type Envelope,
  type Extras,
} from '../../envelope/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import { utf8Length } from '../../text/index.ts'
import { difference, differences } from './differences.ts'

interface Chunked {
  readonly lines: readonly string[]
  readonly messages: readonly Envelope[]
  readonly whole: Envelope | undefined
  readonly input: JsonObject
}

/** What each expectation of a chunking case demands; one that is not here fails the case. */
const expectations: Record<string, (wanted: JsonValue, chunked: Chunked) => string[]> = {
  messages: (wanted, { lines }) => differences(wanted, lines.length, 'messages'),
  max_message_bytes: (wanted, { lines }) => {
    const longest = Math.max(...lines.map(utf8Length))
    return longest <= Number(wanted) ? [] : [difference('max_message_bytes', wanted, longest)]
  },
  final_only_on_last: (_, { messages, input }) => {
    const wanted = messages.map(
      (_message, index) => input['final_on_last'] === true && index === messages.length - 1,
    )
    return differences(
      wanted,
      messages.map((message) => message.final),
      'final',
    )
  },
  reassembles: (_, { whole, input }) => differences(input['payload'], whole?.delta, 'delta'),
  field_reassembles: (wanted, { whole, input }) => {
    const extras = isJsonObject(input['extras']) ? input['extras'] : {}
    return differences(extras[String(wanted)], whole?.[String(wanted)], String(wanted))
  },
  no_lone_surrogates: (_, { messages }) =>
    messages.flatMap(({ delta }, index) =>
      isWellFormed(delta)
        ? []
        : [difference(`messages[${index}].delta`, 'whole code points', delta)],
    ),
  no_exception: () => [],
}

/** Checks how a payload is split into messages. */
export function checkChunking(input: JsonObject, expected: JsonObject): string[] {
  const chunked = chunk(input)
  return Object.entries(expected).flatMap(([name, wanted]) => {
    const expectation = Object.hasOwn(expectations, name) ? expectations[name] : undefined
    return (
      expectation?.(wanted, chunked) ?? [`${name}: an expectation that this runner does not know`]
    )
  })
}

function chunk(input: JsonObject): Chunked {
  const { type, agent, payload, extras = {}, final_on_last: final, max_bytes: maxBytes } = input
  const lines = [
    ...chunkPayload({
      type: String(type),
      agent: String(agent),
      payload: String(payload),
      extras: extras as Extras,
      final: final === true,
      ...(typeof maxBytes === 'number' ? { maxBytes } : {}),
    }),
  ]
  const messages = lines.map(decodeEnvelope)
  const joiner = createJoiner()
  const [whole] = messages
    .map((message) => joiner.push(message))
    .filter((block) => block !== undefined)
  return { lines, messages, whole: whole ?? joiner.open()[0], input }
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)
}
