import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import {
  createSegmentParser,
  type SegmentEvent,
  type SegmentParserOptions,
  type ToolInvocation,
  type ToolParameters,
  toToolInvocations,
} from '../../segments/index.ts'
import { toFormats } from './case-formats.ts'
import { checkFeedings } from './check-feedings.ts'
import { difference } from './differences.ts'
import type { MergedSegment } from './merge-segments.ts'
import { readText } from './read-text.ts'
import { isSameJson } from './same-json.ts'
import { textFeedings } from './text-feedings.ts'

const knownOptions = new Set([
  'fences',
  'inline',
  'knownTools',
  'startIn',
  'toolInReasoning',
  'tools',
])

/** Checks what the formats of models become. */
export function checkFormats(input: JsonObject, expected: JsonObject): string[] {
  const options = toOptions(input['options'])
  const formats = toFormats(String(input['format']))
  return checkFeedings({
    feedings: textFeedings([String(input['text'])]),
    read: (pieces) =>
      readText(pieces, (onSource) => createSegmentParser({ ...options, formats, onSource })),
    compare: (segments, events) =>
      itemDifferences(
        expected['segments'] as readonly JsonObject[],
        toItems(segments, events, options),
      ),
  })
}

function toOptions(value: JsonValue | undefined): SegmentParserOptions {
  if (!isJsonObject(value)) return {}
  const unknown = Object.keys(value).filter((name) => !knownOptions.has(name))
  if (unknown.length > 0)
    throw new Error(`options that this runner does not know: ${unknown.join(', ')}`)
  return value
}

/** What a case can say of a segment; a segment of several calls is as many items. */
function toItems(
  segments: readonly MergedSegment[],
  events: readonly SegmentEvent[],
  { tools = {} }: { readonly tools?: ToolParameters },
): JsonObject[] {
  const invocations = toToolInvocations(events, { tools, incomplete: 'include' })
  const items: JsonObject[] = []
  for (const segment of segments) {
    const last = items.at(-1)
    if (
      isProse(segment.type) &&
      last?.['type'] === segment.type &&
      last['incomplete'] === undefined
    ) {
      items[items.length - 1] = { ...last, content: String(last['content']) + segment.content }
    } else {
      items.push(...toCallItems(segment, invocations))
    }
  }
  return items
}

function isProse(type: string): boolean {
  return type === 'text' || type === 'reasoning'
}

function toCallItems(segment: MergedSegment, invocations: readonly ToolInvocation[]): JsonObject[] {
  const { id, type, content, end } = segment
  const metadata: JsonObject = { ...segment.metadata, ...end?.metadata }
  const item: JsonObject = {
    type,
    content,
    name: metadata['tool_name'] ?? null,
    path: metadata['path'] ?? null,
    id: metadata['call_id'] ?? null,
    repaired: end?.repaired ?? false,
    ...(end?.complete === false ? { incomplete: true } : {}),
  }
  const calls = invocations.filter((call) => call.id === id || call.id.startsWith(`${id}:`))
  if (calls.length === 0) return [item]
  return calls.map(({ name, arguments: values }) => ({ ...item, name, arguments: values }))
}

function itemDifferences(expected: readonly JsonObject[], found: readonly JsonObject[]): string[] {
  const isSame =
    expected.length === found.length &&
    expected.every((item, index) => isSameItem(item, found[index] ?? {}))
  return isSame ? [] : [difference('segments', expected, found)]
}

/** Only what a case names is compared, but what is cut must be named. */
function isSameItem(expected: JsonObject, found: JsonObject): boolean {
  return (
    expected['incomplete'] === found['incomplete'] &&
    Object.entries(expected).every(([key, value]) => isSameJson(value, found[key]))
  )
}
