import { createJoiner, createVerifier, decodeEnvelope, type Envelope, traitsOf } from 'millrace'
import { isJsonObject, type JsonValue } from 'millrace'
import { checkFormatted } from './check-formatted.ts'
import { difference, differences, isSameJson, type Expectations } from '../differences.ts'
import { foldBlocks } from '../feedings/fold-blocks.ts'
import { parseJsonOr } from '../../parse-json-or.ts'

const expectations: Expectations<readonly string[]> = {
  messages: (wanted, lines) => compareMessages(wanted, joinBuffered(lines)),
  blocks: (wanted, lines) => differences(wanted, foldBlocks(lines.map(decodeEnvelope)), 'blocks'),
  types: (wanted, lines) =>
    differences(
      wanted,
      joinBuffered(lines).map(({ type }) => type),
      'types',
    ),
  delta_contains: (wanted, lines) => {
    const deltas = joinBuffered(lines).map(({ delta }) => delta)
    const texts = wanted as readonly string[]
    return texts
      .filter((text) => !deltas.some((delta) => delta.includes(text)))
      .map((text) => difference('delta_contains', text, deltas))
  },
  absent: (wanted, lines) => {
    const fields = lines.map(decodeEnvelope).flatMap((envelope) => Object.keys(envelope))
    return (wanted as readonly string[])
      .filter((field) => fields.includes(field))
      .map((field) => difference('absent', `no ${field}`, field))
  },
  max_message_bytes: (wanted, lines) => {
    const longest = Math.max(0, ...lines.map((line) => Buffer.byteLength(line)))
    return longest <= Number(wanted) ? [] : [difference('max_message_bytes', wanted, longest)]
  },
  single_line_sse: (_, lines) =>
    lines
      .filter((line) => /[\r\n]/.test(line))
      .map((line) => difference('single_line_sse', 'no CR or LF', line)),
}

/** Joins each buffered block into one envelope; incremental ones stay as they were sent. */
function joinBuffered(lines: readonly string[]): Envelope[] {
  const joiner = createJoiner()
  return lines.map(decodeEnvelope).flatMap((envelope) => {
    const isIncremental = traitsOf(envelope.type)?.emission === 'incremental'
    return isIncremental ? [envelope] : (joiner.push(envelope) ?? [])
  })
}

function compareMessages(wanted: JsonValue, found: readonly Envelope[]): string[] {
  if (!Array.isArray(wanted) || wanted.length !== found.length) {
    return [difference('messages', wanted, found)]
  }
  return wanted.filter(isJsonObject).flatMap((message, index) => {
    const { delta_json: json, delta_json_text: text, ...fields } = message
    const path = `messages[${index}]`
    const delta = found[index]?.delta ?? ''
    const parsed = text === undefined ? json : (JSON.parse(String(text)) as JsonValue)
    const isOther = parsed !== undefined && !isSameJson(parsed, parseJsonOr(delta, undefined))
    return [
      ...differences(fields, found[index], path),
      ...(isOther ? [difference(`${path}.delta`, parsed, delta)] : []),
    ]
  })
}

/** The output of a formatter follows the `meta_init` of its caller, and must keep every rule from there. */
function checkProtocol(lines: readonly string[]): string[] {
  const verifier = createVerifier({ needsEnd: false })
  const agent = lines[0] === undefined ? '' : decodeEnvelope(lines[0]).agent
  const start = JSON.stringify({ type: 'meta_init', agent, final: true, delta: '{}' })
  const violations = [start, ...lines].flatMap((line) => [...verifier.push(line)])
  return [...violations, ...verifier.end(true)].map(({ rule, message }) => `[${rule}] ${message}`)
}

/** Checks the JSON envelopes of provider events. */
export const checkEnvelopes = checkFormatted({ expectations, always: checkProtocol })
