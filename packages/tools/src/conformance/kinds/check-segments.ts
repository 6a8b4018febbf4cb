import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type { ToolInvocation } from 'millrace/segments'
import { difference } from '../differences.ts'
import type { KindCheck } from './kind-check.ts'
import type { MergedSegment } from '../feedings/merge-segments.ts'
import { isSameJson } from '../same-json.ts'
import { createSegmentJudge } from '../segment-judge.ts'
import { textTasks } from '../feedings/text-feedings.ts'

/** Checks the segments that the strategies of the streaming parser design find in a text. */
export const checkSegments: KindCheck = {
  tasks: ({ chunks, ...input }, units) => textTasks(chunks as readonly string[], input, units),
  createJudge: (expected, { chunks }) =>
    createSegmentJudge(
      (segments, invocations) => segmentDifferences(expected, segments, invocations),
      { text: (chunks as readonly string[]).join(''), hidden: expected['hidden'] },
    ),
}

/** Returns the differences between segments and invocations and those that a case expects. */
export function segmentDifferences(
  expected: JsonObject,
  segments: readonly MergedSegment[],
  invocations: readonly ToolInvocation[],
): string[] {
  const wanted = expected['segments'] as readonly JsonObject[]
  const found = segments.map(toView)
  const isSame =
    wanted.length === found.length &&
    wanted.every((item, index) => isSameSegment(item, found[index] ?? {}))
  const calls = invocations.map(({ id, name, arguments: values }) => ({
    id,
    name,
    arguments: values,
  }))
  return [
    ...(isSame ? [] : [difference('segments', wanted, found)]),
    ...(isSameJson(expected['invocations'] ?? [], calls)
      ? []
      : [difference('invocations', expected['invocations'], calls)]),
  ]
}

function toView({ type, metadata, content, end }: MergedSegment): JsonObject {
  const view = { type, metadata, content, ended: end !== undefined }
  return {
    ...view,
    ...(end?.complete === false && { complete: false }),
    end: { ...end },
  }
}

/** A case with the payload of an end is compared exactly; others ignore the name of the tool. */
function isSameSegment(wanted: JsonObject, view: JsonObject): boolean {
  if (wanted['end'] !== undefined) return isSameJson(wanted, view)
  const { end: _, ...found } = view
  if (isSameJson(wanted, found)) return true
  const { metadata, ...rest } = found
  return isSameJson(wanted, { ...rest, metadata: withoutToolName(metadata) })
}

function withoutToolName(metadata: JsonValue | undefined): JsonObject {
  if (!isJsonObject(metadata)) return {}
  const { tool_name: _name, ...rest } = metadata
  return rest
}
