import { isMillraceError } from '../errors/index.ts'
import { utf8Length } from '../text/index.ts'
import { type AgentTrack, createAgentTrack, trackMessage, trackWhole } from './agent-track.ts'
import { MAX_SSE_CHUNK_BYTES } from './chunk.ts'
import { decodeEnvelope } from './decode.ts'
import type { Envelope } from './envelope.ts'
import { createJoiner } from './joiner.ts'
import { lifecycleRules } from './lifecycle-rules.ts'

/** A rule that a stream broke, where, and how. */
export interface Violation {
  readonly rule: string
  readonly message: string
  /** Which line of the stream, counted from 1. */
  readonly line: number
}

/** How strict a verifier is. */
export interface VerifierOptions {
  readonly maxBytes?: number
  /** The stream begins in the middle of a log, so what came before is taken to be right. */
  readonly isResumed?: boolean
  /** Whether the end must be told by `meta_end`; false for streams of the seed's thirteen types. */
  readonly needsEnd?: boolean
}

/** Checks a stream against the protocol, line by line. */
export interface Verifier {
  /** Takes the next line, with the id of its frame where there is one. */
  push(line: string, id?: number): readonly Violation[]
  /** Takes the end of the body: after `[DONE]`, or without it. */
  end(isDone: boolean): readonly Violation[]
}

/** Creates a verifier for one stream. */
export function createVerifier({
  maxBytes = MAX_SSE_CHUNK_BYTES,
  isResumed = false,
  needsEnd = true,
}: VerifierOptions = {}): Verifier {
  const tracks = new Map<string, AgentTrack>()
  const joiner = createJoiner()
  let root: string | undefined
  let lastId: number | undefined
  let count = 0

  function trackOf(agent: string): AgentTrack {
    root ??= agent
    const track = tracks.get(agent) ?? createAgentTrack(isResumed)
    tracks.set(agent, track)
    return track
  }

  function violation(rule: string, message: string): Violation {
    return { rule, message, line: count }
  }

  function faultsOf(stage: 'message' | 'whole', subject: Envelope, track: AgentTrack): Violation[] {
    return lifecycleRules.flatMap((rule) => {
      const fault = rule.of === stage ? rule.fault(subject, track) : undefined
      return fault === undefined ? [] : [violation(rule.id, `${subject.type} ${fault}.`)]
    })
  }

  function checkId(message: Envelope, id: number): Violation[] {
    const before = id - (message.span ?? 1)
    const isNext = lastId === undefined ? isResumed || before === 0 : before === lastId
    const expected = (lastId ?? 0) + 1
    lastId = id
    return isNext ? [] : [violation('LOG-2', `Id ${id} does not follow; ${expected} was expected.`)]
  }

  function checkMessage(message: Envelope): Violation[] {
    const track = trackOf(message.agent)
    const faults = faultsOf('message', message, track)
    trackMessage(track, message)
    const whole = joiner.push(message)
    if (whole === undefined) return faults
    faults.push(...faultsOf('whole', whole, track))
    trackWhole(track, whole)
    return faults
  }

  function checkEnd(): Violation[] {
    const faults = [...tracks].flatMap(([agent, track]) =>
      track.open.size === 0
        ? []
        : [violation('LIFE-2', `The stream ended while a block of agent ${agent} is open.`)],
    )
    const hasEnded = root === undefined || tracks.get(root)?.hasEnded === true
    if (needsEnd && !hasEnded) faults.push(violation('LIFE-9', '[DONE] came before meta_end.'))
    return faults
  }

  return {
    push(line, id) {
      count++
      const bytes = utf8Length(line)
      const faults =
        bytes > maxBytes
          ? [violation('CHUNK-1', `The line has ${bytes} of ${maxBytes} bytes.`)]
          : []
      try {
        const message = decodeEnvelope(line)
        if (id !== undefined) faults.push(...checkId(message, id))
        return [...faults, ...checkMessage(message)]
      } catch (error) {
        if (!isMillraceError(error)) throw error
        return [...faults, violation('ENV-10', error.message)]
      }
    },
    end: (isDone) =>
      isDone ? checkEnd() : [violation('SSE-5', 'The stream ended without [DONE].')],
  }
}
