import { createJoiner, decodeEnvelope, traitsOf } from 'millrace'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { DONE_DATA } from 'millrace'
import { difference, differences, isSameJson } from '../../differences.ts'
import { compareSizes } from '../../feedings/sizes.ts'
import type { FlowExpectation, FlowFound } from '../flow-found.ts'
import type { FlowInput } from '../flow-input.ts'
import { isAnswered, planOf } from '../mill/flow-plan.ts'

/** Expectations of responses, and of the size of streams and log. */
export const responseExpectations: Readonly<Record<string, FlowExpectation>> = {
  /** The number of each status among the last concurrent requests. */
  statuses: (wanted, found, input) => {
    const counts: Record<string, number> = {}
    for (const { status } of lastGroup(found, input)) counts[status] = (counts[status] ?? 0) + 1
    return isSameJson(wanted, counts) ? [] : [difference('statuses', wanted, counts)]
  },
  /** Subsets of all responses; `null` matches any. */
  responses: (wanted, { responses, frames }) => {
    const all = wanted as readonly JsonValue[]
    const label = createLabels(responses, frames.at(-1)?.id ?? frames.at(-2)?.id ?? 0)
    const found = responses.map(label)
    if (all.length !== found.length) return [difference('responses', wanted, found)]
    return all.flatMap((one, at) =>
      one === null ? [] : differences(one, found[at], `responses[${at}]`),
    )
  },
  same_stream: (wanted, found, input) => {
    const streams = lastGroup(found, input).flatMap(({ frames }) => (frames ? [frames] : []))
    const isSame = streams.every((frames) => isSameJson(frames, streams[0]))
    return differences(wanted, isSame && streams.length > 1, 'same_stream')
  },
  log: (wanted, { log }) => {
    const counts: Record<string, number> = {}
    for (const { type, final } of log)
      if (final || traitsOf(type)?.emission !== 'incremental')
        counts[type] = (counts[type] ?? 0) + 1
    return Object.entries(isJsonObject(wanted) ? wanted : {}).flatMap(([type, count]) =>
      differences(count, counts[type] ?? 0, `log.${type}`),
    )
  },
  sizes: (wanted, { streams }) => compareSizes(wanted, streams.at(-1)?.lines ?? []),
  /** The joined deltas of the blocks of a type, in the last stream. */
  payloads: (wanted, { streams }) => {
    const joiner = createJoiner()
    const lines = streams.at(-1)?.lines ?? []
    const wholes = lines.flatMap((line) => joiner.push(decodeEnvelope(line)) ?? [])
    return Object.entries(isJsonObject(wanted) ? wanted : {}).flatMap(([type, texts]) => {
      const found = [...wholes, ...joiner.open()].filter((whole) => whole.type === type)
      return differences(
        texts,
        found.map(({ delta }) => delta),
        `payloads.${type}`,
      )
    })
  },
}

type Answer = FlowFound['responses'][number]

/**
 * Labels responses like a case: `#1` is the first log that a response names, `last` the last id of the log; adds
 * whether a stream was cut.
 */
function createLabels(responses: readonly Answer[], lastId: number) {
  const named = responses.flatMap(({ log, body }) => log ?? errorIn(body)['log'] ?? [])
  const logs = [...new Set(named)]
  const labelOf = (log: JsonValue): JsonValue => (log === null ? log : `#${logs.indexOf(log) + 1}`)
  return ({ status, log = null, body = {}, frames }: Answer): JsonObject => {
    const error = errorIn(body)
    const { log: present, tail } = error
    return {
      status,
      log: labelOf(log),
      ...(frames !== undefined && { cut: frames.at(-1)?.data !== DONE_DATA }),
      ...body,
      ...(body['error'] !== undefined && {
        error: {
          ...error,
          ...(present !== undefined && { log: labelOf(present) }),
          ...(tail === lastId && { tail: 'last' }),
        },
      }),
    }
  }
}

function errorIn(body: JsonObject = {}): JsonObject {
  return isJsonObject(body['error']) ? body['error'] : {}
}

/** Returns the responses to the last concurrent requests, or to the last request. */
function lastGroup({ responses }: FlowFound, input: FlowInput): FlowFound['responses'] {
  const sizes = planOf(input).map(({ requests }) => requests.filter(isAnswered).length)
  const many = sizes.findLastIndex((size) => size > 1)
  const at = many === -1 ? sizes.findLastIndex((size) => size > 0) : many
  const from = sizes.slice(0, at).reduce((sum, size) => sum + size, 0)
  return responses.slice(from, from + (sizes[at] ?? 0))
}
