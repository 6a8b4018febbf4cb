import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import {
  createSegmentParser,
  type SegmentEvent,
  type SegmentParserOptions,
  toToolInvocations,
} from '../../segments/index.ts'
import { checkFeedings } from './check-feedings.ts'
import { difference } from './differences.ts'
import type { MergedSegment } from './merge-segments.ts'
import { readText } from './read-text.ts'
import { isSameJson } from './same-json.ts'
import { textFeedings } from './text-feedings.ts'

/** Checks what the strategies of the streaming parser design find in a text. */
export function checkSegments(input: JsonObject, expected: JsonObject): string[] {
  const chunks = input['chunks'] as readonly string[]
  const options = toStrategy(String(input['strategy']))
  return checkFeedings({
    feedings: textFeedings(chunks),
    read: (pieces) => readText(pieces, (onSource) => createSegmentParser({ ...options, onSource })),
    compare: (segments, events) => segmentDifferences(expected, segments, events),
  })
}

/** `json:openai` is the json strategy with the profile of a provider, `json:default` with that of no provider. */
function toStrategy(text: string): SegmentParserOptions {
  const [strategy, provider] = text.split(':')
  return {
    strategy: strategy as NonNullable<SegmentParserOptions['strategy']>,
    ...(provider === undefined || provider === 'default' ? {} : { provider }),
  }
}

/** Where segments and invocations are not what a case expects. */
export function segmentDifferences(
  expected: JsonObject,
  segments: readonly MergedSegment[],
  events: readonly SegmentEvent[],
): string[] {
  const wanted = expected['segments'] as readonly JsonObject[]
  const found = segments.map(toView)
  const isSame =
    wanted.length === found.length &&
    wanted.every((item, index) => isSameSegment(item, found[index] ?? {}))
  const invocations = toToolInvocations(events).map(({ id, name, arguments: values }) => ({
    id,
    name,
    arguments: values,
  }))
  return [
    ...(isSame ? [] : [difference('segments', wanted, found)]),
    ...(isSameJson(expected['invocations'] ?? [], invocations)
      ? []
      : [difference('invocations', expected['invocations'], invocations)]),
  ]
}

function toView({ type, metadata, content, end }: MergedSegment): JsonObject {
  const view = { type, metadata, content, ended: end !== undefined }
  return end?.complete === false ? { ...view, complete: false } : view
}

/** Metadata may also hold the name of the tool. */
function isSameSegment(wanted: JsonObject, found: JsonObject): boolean {
  if (isSameJson(wanted, found)) return true
  const { metadata, ...rest } = found
  return isSameJson(wanted, { ...rest, metadata: withoutToolName(metadata) })
}

function withoutToolName(metadata: JsonValue | undefined): JsonObject {
  if (!isJsonObject(metadata)) return {}
  const { tool_name: _name, ...rest } = metadata
  return rest
}
