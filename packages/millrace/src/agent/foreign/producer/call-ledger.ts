import type { ProducerRequest } from '../../port/index.ts'
import { type AgentState, openCalls, type Produced } from '../../state/index.ts'
import { checkEvent, refusal } from '../check-event.ts'
import type { LoopEvent } from '../loop-event.ts'
import { checkSteers } from './judge-request.ts'

type Append = Extract<ProducerRequest, { readonly type: 'append' }>

/** Follows the calls of a producer, so that a wrong event is refused before anything of its batch is stored. [PROD-3] */
export class CallLedger {
  /** The calls without a result, by the ids of the producer. */
  readonly #calls: Map<string, 'growing' | 'open'>
  #last: 'pause' | 'end' | undefined

  constructor(calls: Iterable<readonly [string, 'growing' | 'open']> = [], last?: 'pause' | 'end') {
    this.#calls = new Map(calls)
    this.#last = last
  }

  copy(): CallLedger {
    return new CallLedger(this.#calls, this.#last)
  }

  /** Checks and follows the events of a request that were not taken before; throws for the first wrong one. */
  takeFresh({ seq, events, steers }: Append, produced: Produced): readonly LoopEvent[] {
    const { next } = produced
    const fresh = events.slice(next - seq).map((value, index) => {
      const event = checkEvent(value, next + index)
      this.follow(event, next + index)
      return event
    })
    if (this.#last !== undefined) checkSteers(steers, produced)
    return fresh
  }

  /** Follows a valid event; throws if it contradicts the events before it. */
  follow(event: LoopEvent, number: number): void {
    const isWait = event.type === 'awaiting_approval' || event.type === 'awaiting_frontend_tools'
    if (this.#last === 'end' || (this.#last === 'pause' && !isWait))
      throw refusal(number, `no event may follow the ${this.#last} of the run`)
    if (event.type === 'end' || event.type === 'error') this.#last = 'end'
    if (isWait) {
      this.#last = 'pause'
      if (event.calls.length === 0)
        throw refusal(number, `\`${event.type}.calls\` is empty; name the calls that wait`)
      const growing = [...this.#calls].find(([, state]) => state === 'growing')?.[0]
      if (growing !== undefined)
        throw refusal(
          number,
          `\`${event.type}\` must come after the \`tool_call\` of ${quote(growing)}, whose arguments are incomplete`,
        )
      for (const callId of event.calls) this.#findOpen(callId, number, `${event.type}.calls`)
    }
    if (event.type === 'tool_progress' || event.type === 'tool_result') {
      this.#findOpen(event.callId, number, `${event.type}.callId`)
      if (event.type === 'tool_result') this.#calls.delete(event.callId)
    }
    if (event.type !== 'tool_input' && event.type !== 'tool_call') return
    if (this.#calls.get(event.callId) === 'open')
      throw refusal(
        number,
        `\`${event.type}.callId\` is ${quote(event.callId)}, which is the id of an open call`,
      )
    this.#calls.set(event.callId, event.type === 'tool_call' ? 'open' : 'growing')
  }

  #findOpen(callId: unknown, number: number, field: string): void {
    if (typeof callId !== 'string')
      throw refusal(number, `\`${field}\` must hold ids of calls, got ${typeof callId}`)
    if (this.#calls.get(callId) === 'open') return
    throw refusal(
      number,
      `\`${field}\` is ${quote(callId)}, but no call with this id waits for a result`,
    )
  }
}

function quote(callId: string): string {
  return JSON.stringify(callId.slice(0, 80))
}

/** Returns the calls of a stored run, by the ids of its producer. */
export function ledgerOf({ turn, memory, produced }: AgentState): CallLedger {
  const own = new Map(Object.entries(produced?.ids ?? {}).map(([id, shown]) => [shown, id]))
  const ledger = new CallLedger(
    openCalls(turn).map(({ id }) => [own.get(id) ?? id, 'open'] as const),
  )
  for (const event of eventsIn(memory)) ledger.follow(event, 0)
  return ledger
}

/** Decodes the events that a state keeps. */
export function eventsIn(memory: readonly unknown[] = []): readonly LoopEvent[] {
  return memory.flatMap((text) => JSON.parse(String(text)) as LoopEvent[])
}
