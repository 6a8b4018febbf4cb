import { isJsonObject, type JsonObject } from 'millrace'
import type { ToolInvocation } from 'millrace/segments'
import { difference, isSameJson } from '../differences.ts'
import type { KindCheck } from './kind-check.ts'
import type { MergedSegment } from '../feedings/merge-segments.ts'
import { createSegmentJudge } from '../segment-judge.ts'
import { textTasks } from '../feedings/text-feedings.ts'

/** The check of the kind `formats`. */
export const checkFormats: KindCheck = {
  tasks: ({ text, ...input }, units) => textTasks([String(text)], input, units),
  createJudge: (expected, { text }) => {
    const wanted = expected['segments']
    const items = Array.isArray(wanted) ? wanted.filter(isJsonObject) : []
    return createSegmentJudge(
      (segments, invocations) => itemDifferences(items, toItems(segments, invocations)),
      { text: String(text), hidden: expected['hidden'] },
    )
  },
}

/** Converts segments to the items of a case; a segment with several calls yields as many items. */
function toItems(
  segments: readonly MergedSegment[],
  invocations: readonly ToolInvocation[],
): JsonObject[] {
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

/** Compares only fields that the case names, but an incomplete item must be named as such. */
function isSameItem(expected: JsonObject, found: JsonObject): boolean {
  return (
    expected['incomplete'] === found['incomplete'] &&
    Object.entries(expected).every(([key, value]) => isSameJson(value, found[key]))
  )
}
