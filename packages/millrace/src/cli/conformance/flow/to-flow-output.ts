import type { JsonObject } from '../../../json/index.ts'
import { toView } from '../../../testing/index.ts'
import { isSameJson } from '../same-json.ts'
import { objectsOf } from './flow-blocks.ts'
import type { FlowRequest } from './flow-models.ts'
import type { FlowOutput } from './flow-output.ts'
import type { FlowReport } from './run-flow.ts'

/** Tells what came of a case in JSON, so that it can be judged anywhere. */
export function toFlowOutput(report: FlowReport): JsonObject {
  const { session, streams, transcript, requests, tools, view, messages, next } = report
  const [before, after] = report.stored
  const output: FlowOutput = {
    session,
    streams: streams.map(({ status, messages: said, isDone, error }) => ({
      status,
      messages: [...said],
      done: isDone,
      ...(error !== undefined && { error }),
    })),
    shown: toView(transcript),
    requests: requests.map(toRequest),
    tool_runs: [...tools.runs],
    max_concurrent: tools.maxConcurrent,
    pending: idsOf(view, 'pending'),
    pending_approvals: idsOf(view, 'pending_approvals'),
    conversation: [...messages],
    stored_untouched: before === undefined ? null : isSameJson(before, after),
    next: next === undefined ? null : toRequest(next),
    frames: report.frames.map(({ data, id = null }) => ({ data, id })),
    faults: [...report.faults],
  }
  return output as unknown as JsonObject
}

function toRequest({ path, body, isValid, problem }: FlowRequest): FlowOutput['requests'][number] {
  return { path: [...path], body, ...(isValid ? {} : { refused: problem }) }
}

function idsOf(view: JsonObject, name: string): string[] {
  return objectsOf(view[name]).map(({ tool_use_id: id }) => String(id))
}
