import { z } from 'zod'
import { sessionId } from '../requests/request-bodies.ts'

const time = z.iso.datetime()
const uuid = z.uuid()

/** The statuses that a client may be told. */
const status = z.enum(['running', 'paused', 'ended', 'interrupted'])

const pendingCall = z.object({
  tool_use_id: z.string(),
  name: z.string(),
  input: z.unknown(),
  agent: z.string(),
})

const pendingApproval = pendingCall.extend({
  input_hash: z.string().optional(),
  asked_at: time.optional(),
  expires_at: time.optional(),
})

/** What `GET /agent/{uuid}` gives. */
export const sessionAnswer = z.object({
  agent_uuid: uuid,
  agent_type: z.string(),
  title: z.string(),
  status,
  stop_reason: z.string().nullable(),
  created_at: time,
  updated_at: time,
  total_runs: z.int(),
  tail: z.int(),
  earliest: z.int(),
  /** Of a branch: the session that it was forked from, and the last frame that both share. */
  forked_from: z.object({ agent_uuid: uuid, after: z.int() }).optional(),
  pending: z.array(pendingCall),
  pending_approvals: z.array(pendingApproval),
  queue: z.array(
    z.object({
      message_id: z.string(),
      text: z.string(),
      queued_at: time,
      when_busy: z.enum(['queue', 'interrupt']),
    }),
  ),
})

/** What `PATCH /agent/{uuid}` gives. */
export const renameAnswer = z.object({ agent_uuid: uuid, title: z.string() })

/** What `DELETE /agent/{uuid}` gives. */
export const deleteAnswer = z.object({ deleted: z.literal(true) })

/** What `GET /agent/sessions` gives. A session to which only files were sent has nothing but its id, and those of older servers no `stop_reason`. */
export const sessionsAnswer = z.object({
  sessions: z.array(
    z.object({
      agent_uuid: uuid,
      agent_type: z.string().optional(),
      title: z.string().optional(),
      status: status.optional(),
      stop_reason: z.string().nullable().optional(),
      created_at: time.optional(),
      updated_at: time.optional(),
      total_runs: z.int().optional(),
    }),
  ),
  total: z.int(),
})

const usage = z.looseObject({ input_tokens: z.int(), output_tokens: z.int() })

/** What `GET /agent/{uuid}/conversations` gives; a view leaves out what its readers may not see. */
export const conversationsAnswer = z.object({
  conversations: z.array(
    z.object({
      conversation_id: z.string(),
      run_id: z.string().nullable().optional(),
      sequence_number: z.int(),
      user_message: z.string().optional(),
      final_response: z.string().nullable().optional(),
      started_at: time,
      completed_at: time.nullable(),
      stop_reason: z.string().optional(),
      total_steps: z.int().optional(),
      usage: usage.optional(),
      generated_files: z
        .array(
          z.object({ file_id: z.string(), filename: z.string(), storage_location: z.string() }),
        )
        .optional(),
      messages: z
        .array(z.object({ role: z.enum(['user', 'assistant']), content: z.array(z.unknown()) }))
        .optional(),
    }),
  ),
  has_more: z.boolean(),
  title: z.string().nullable(),
})

/** What `GET /agent/{uuid}/times` gives: pairs of an id and milliseconds since the epoch, the smallest id first. */
export const timesAnswer = z.object({
  times: z.array(z.tuple([z.int(), z.int()])),
  has_more: z.boolean(),
})

/** The answer of `GET /agent/{uuid}/decisions`; a view leaves out what its readers may not see. */
export const decisionsAnswer = z.object({
  decisions: z.array(
    z.object({
      id: z.int(),
      tool_use_id: z.string(),
      agent: z.string(),
      name: z.string(),
      outcome: z.enum(['approved', 'refused', 'expired']),
      by: z.string().nullable(),
      at: time.optional(),
      input_hash: z.string().optional(),
      edited: z.boolean(),
      input: z.unknown().optional(),
      reason: z.string().optional(),
    }),
  ),
  /** Passed as `after` to read on. */
  cursor: z.int(),
  has_more: z.boolean(),
  /** The earliest message that the store keeps; decisions up to it are not listed if it is not the first. */
  earliest: z.int(),
})

/** What `POST /agent/upload` gives. */
export const uploadAnswer = z.object({
  agent_uuid: sessionId,
  files: z.array(
    z.object({
      id: z.string(),
      filename: z.string(),
      mime_type: z.string(),
      size_bytes: z.int(),
      created_at: time,
      downloadable: z.boolean(),
    }),
  ),
})

/** What `POST /agent/tool_claims` gives to whoever holds the claim. */
export const claimAnswer = z.object({ claimed: z.literal(true), expires_at: time })

/** What `POST /agent/{uuid}/stop` gives. */
export const stopAnswer = z.object({ stopped: z.boolean() })

const branch = z.object({
  agent_uuid: uuid,
  title: z.string(),
  created_at: time,
  /** The session that it was forked from, and the last frame that both share. */
  forked_from: uuid,
  after: z.int(),
})

/** What `POST /agent/{uuid}/fork` gives. */
export const forkAnswer = z.object({ ...branch.shape, tail: z.int() })

/** What `GET /agent/{uuid}/branches` gives. */
export const branchesAnswer = z.object({ branches: z.array(branch) })

/** What `POST /agent/{uuid}/steer` gives. */
export const steerAnswer = z.object({ steered: z.literal(true) })

/** What `DELETE /agent/{uuid}/queue/{message_id}` gives. */
export const withdrawAnswer = z.object({ withdrawn: z.literal(true) })

/** What `POST /agent/run` gives where the client prefers not to wait. [CMD-4] */
export const acceptedAnswer = z.object({
  agent_uuid: uuid,
  message_id: z.string().nullable(),
  state: z.enum(['running', 'queued', 'paused', 'ended', 'withdrawn', 'void']),
})

/** What `GET /health` gives; all but the status only to those who may see it. */
export const healthAnswer = z.object({
  status: z.enum(['healthy', 'unhealthy']),
  store: z.enum(['available', 'unavailable']).optional(),
  /** Why the store is unavailable. */
  reason: z.string().optional(),
  node: z.string().optional(),
  version: z.string().optional(),
  agents: z.array(z.string()).optional(),
  default_agent: z.string().optional(),
  default_model: z.string().optional(),
  active_runs: z.int().optional(),
  readers: z.int().optional(),
})

/** What `GET /openapi.json` gives. */
export const openApiAnswer = z.looseObject({ openapi: z.string() })

/** What every refused request is answered with; some errors have more fields, such as `earliest`. */
export const errorAnswer = z.object({
  error: z.looseObject({ code: z.string(), message: z.string() }),
})
