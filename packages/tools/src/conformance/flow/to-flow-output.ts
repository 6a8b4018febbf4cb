import type { Frame } from 'millrace/client'
import type { JsonObject } from 'millrace'
import { toView } from 'millrace/testing'
import { isSameJson } from '../differences.ts'
import { objectsOf, type FlowOutput } from './flow-output.ts'
import type { ModelRequest } from './mill/flow-models.ts'
import type { FlowReport } from './run-flow.ts'

/** Encodes the report of a case as JSON, so that it can be judged anywhere. */
export function toFlowOutput(report: FlowReport): JsonObject {
  const { session, responses, transcript, requests, tools, view, messages, next } = report
  const [before, after] = report.stored
  const output: FlowOutput = {
    session,
    responses: responses.map(({ status, log, frames, body }) => ({
      status,
      ...(log !== undefined && { log }),
      ...(frames !== undefined && { frames: toFrames(frames) }),
      ...(body !== undefined && { body }),
    })),
    shown: toView(transcript),
    requests: requests.map(toRequest),
    tool_runs: [...tools.runs],
    max_concurrent: tools.maxConcurrent,
    pending: callsIn(view, 'pending'),
    pending_approvals: callsIn(view, 'pending_approvals'),
    conversation: [...messages],
    stored_untouched: before === undefined ? null : isSameJson(before, after),
    next: next === undefined ? null : toRequest(next),
    frames: toFrames(report.frames),
    faults: [...report.faults],
  }
  return output as unknown as JsonObject
}

function toRequest({ path, body, isValid, problem }: ModelRequest): FlowOutput['requests'][number] {
  return { path: [...path], body, ...(isValid ? {} : { refused: problem }) }
}

function toFrames(frames: readonly Frame[]): FlowOutput['frames'] {
  return frames.map(({ data, id = null }) => ({ data, id }))
}

function callsIn(view: JsonObject, list: string): FlowOutput['pending'] {
  return objectsOf(view[list]).map(({ tool_use_id: id, agent, name, input = {} }) => ({
    tool_use_id: String(id),
    agent: String(agent),
    name: String(name),
    input,
  }))
}
