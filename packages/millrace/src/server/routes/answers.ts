import { z } from 'zod'
import { sessionId } from '../requests/request-bodies.ts'

const time = z.iso.datetime()
const uuid = z.uuid()

/** The statuses of a session for clients. */
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

/** The response of `GET /agent/{uuid}`. A session that has only uploads has no agent type and no times yet. */
export const sessionAnswer = z.object({
  agent_uuid: uuid,
  agent_type: z.string().optional(),
  title: z.string(),
  status,
  stop_reason: z.string().nullable(),
  created_at: time.optional(),
  updated_at: time.optional(),
  total_runs: z.int(),
  tail: z.int(),
  earliest: z.int(),
  /** For a branch: the session from which it was forked, and the last frame that both share. */
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

/** The response of `PATCH /agent/{uuid}`. */
export const renameAnswer = z.object({ agent_uuid: uuid, title: z.string() })

/** The response of `POST /agent/{uuid}/share`. */
export const shareAnswer = z.object({ agent_uuid: uuid, share: z.string(), expires_at: time })

/** The response of `DELETE /agent/{uuid}/share`. */
export const unshareAnswer = z.object({ revoked: z.boolean() })

/** The response of `DELETE /agent/{uuid}`. */
export const deleteAnswer = z.object({ deleted: z.literal(true) })

/** The response of `GET /agent/sessions`. A session with only uploads has only its id. */
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

/** The response of `GET /agent/{uuid}/conversations`; a view omits hidden fields. */
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

/** The response of `GET /agent/{uuid}/times`: pairs of a frame id and milliseconds since the epoch, by id. */
export const timesAnswer = z.object({
  times: z.array(z.tuple([z.int(), z.int()])),
  has_more: z.boolean(),
})

/** The response of `GET /agent/{uuid}/decisions`; a view omits hidden fields. */
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
  /** The value of `after` for the next page. */
  cursor: z.int(),
  has_more: z.boolean(),
  /** The earliest retained frame; unless it is the first, decisions up to it are not listed. */
  earliest: z.int(),
})

/** The response of `POST /agent/upload`. */
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

/** The response of `POST /agent/tool_claims` to the holder of the claim. */
export const claimAnswer = z.object({ claimed: z.literal(true), expires_at: time })

/** The response of `POST /agent/{uuid}/stop`. */
export const stopAnswer = z.object({ stopped: z.boolean() })

const branch = z.object({
  agent_uuid: uuid,
  title: z.string(),
  created_at: time,
  /** The session from which it was forked, and the last frame that both share. */
  forked_from: uuid,
  after: z.int(),
})

/** The response of `POST /agent/{uuid}/fork`. */
export const forkAnswer = z.object({ ...branch.shape, tail: z.int() })

/** The response of `GET /agent/{uuid}/branches`. */
export const branchesAnswer = z.object({ branches: z.array(branch) })

/** The response of `POST /agent/{uuid}/steer`. */
export const steerAnswer = z.object({ steered: z.literal(true) })

/** The response of `POST /agent/{uuid}/events`; that to a request that opens the run has the conversation as well. */
export const produceAnswer = z.object({
  epoch: z.int(),
  next: z.int(),
  /** The place from which `GET /agent/{uuid}/commands` continues. */
  cursor: z.string().optional(),
  run_id: z.string().optional(),
  prompt: z.string().optional(),
  /** Number of messages to the run that are in `messages`. */
  steers: z.int().optional(),
  messages: z.array(z.unknown()).optional(),
  answers: z.array(z.unknown()).optional(),
})

/** The response of `DELETE /agent/{uuid}/queue/{message_id}`. */
export const withdrawAnswer = z.object({ withdrawn: z.literal(true) })

/** The response of `POST /agent/run` to a client that prefers not to wait. [CMD-4] */
export const acceptedAnswer = z.object({
  agent_uuid: uuid,
  message_id: z.string().nullable(),
  state: z.enum(['running', 'queued', 'paused', 'ended', 'withdrawn', 'void']),
})

/** The response of `GET /health`; all but the status only for authorized requests. */
export const healthAnswer = z.object({
  status: z.enum(['healthy', 'unhealthy']),
  store: z.enum(['available', 'unavailable']).optional(),
  /** The reason why the store is unavailable. */
  reason: z.string().optional(),
  node: z.string().optional(),
  version: z.string().optional(),
  agents: z.array(z.string()).optional(),
  default_agent: z.string().optional(),
  default_model: z.string().optional(),
  active_runs: z.int().optional(),
  readers: z.int().optional(),
})

/** The response of `GET /openapi.json`. */
export const openApiAnswer = z.looseObject({ openapi: z.string() })

/** The response to every rejected request; some errors have more fields, such as `earliest`. */
export const errorAnswer = z.object({
  error: z.looseObject({ code: z.string(), message: z.string() }),
})
