import { z } from 'zod'
import { createJoiner, decodeEnvelope, type Envelope } from 'millrace'
import { isJsonObject, type JsonObject } from 'millrace'
import {
  decodeOutput,
  difference,
  differences,
  checkExpectations,
  type Expectations,
} from '../differences.ts'
import type { KindCheck } from './kind-check.ts'
import { compareSizes } from '../feedings/sizes.ts'

interface Chunked {
  readonly lines: readonly string[]
  readonly messages: readonly Envelope[]
  readonly whole: Envelope | undefined
  readonly input: JsonObject
}

const schema = z.object({ lines: z.array(z.string()) })

/** Checks how a payload is split into envelopes. */
export const checkChunking: KindCheck = {
  tasks: (input) => [{ input }],
  createJudge: (expected, input) => (output) => {
    const { lines } = decodeOutput(schema, output)
    return checkExpectations(expected, join(lines, input), expectations)
  },
}

const expectations: Expectations<Chunked> = {
  messages: (wanted, { lines }) => differences(wanted, lines.length, 'messages'),
  sizes: (wanted, { lines }) => compareSizes(wanted, lines),
  max_message_bytes: (wanted, { lines }) => {
    const longest = Math.max(...lines.map((line) => Buffer.byteLength(line)))
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

function join(lines: readonly string[], input: JsonObject): Chunked {
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
