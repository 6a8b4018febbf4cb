import { ownerOfCall } from '../../agent/index.ts'
import type { PauseAnswers } from '../../agent/port/index.ts'
import { isMillraceError, MillraceError } from '../../errors/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { ServerContext } from '../server-context.ts'
import { headOf, loadPending, loadSession } from '../sessions/load-session.ts'
import type { ViewRules } from './view-rules.ts'

/** What a request says of calls, with calls of hidden agents turned into calls that do not exist. */
export interface CallDisguise {
  /** The id itself, or one that no call has if the call belongs to a hidden agent. */
  readonly idOf: (toolUseId: string) => string
  /** The same for answers to calls. */
  readonly answersOf: (answers: PauseAnswers) => PauseAnswers
  /** Does something with such ids; its errors name the calls as the request did. */
  readonly within: <Result>(task: () => Promise<Result>) => Promise<Result>
}

/** No id of a call begins like this: models and this library write no control characters. */
const mark = '\u0000hidden:'

const noDisguise: CallDisguise = {
  idOf: (id) => id,
  answersOf: (answers) => answers,
  within: (task) => task(),
}

/** Where no view could be chosen no call exists; the request fails as soon as something of the session is shown. */
const unknownView: Pick<ViewRules, 'hidesAgent'> = { hidesAgent: () => true }

/** Finds out which of the calls that a request names do not exist for it, so that it is answered as for any call that does not. */
export async function disguiseCalls(
  { store, viewOf }: Pick<ServerContext, 'store' | 'viewOf'>,
  request: Request,
  session: string,
  ids: readonly string[],
): Promise<CallDisguise> {
  const rules = await viewOf(request, session).catch(() => unknownView)
  if (rules === undefined || ids.length === 0) return noDisguise
  const info = await mapStoreErrors(store.info(session))
  const head = headOf(info)
  if (info === undefined || head === undefined) return noDisguise
  const { calls, approvals } = await loadPending(store, info, head)
  const agents = new Map([...calls, ...approvals].map(({ id, agent }) => [id, agent]))
  if (ids.every((id) => agents.has(id))) return createDisguise((id) => agents.get(id), rules)
  // Calls that are no longer pending are known to the whole state alone.
  const loaded = await loadSession(store, info)
  const state = loaded?.stored.state
  return state === undefined ? noDisguise : createDisguise((id) => ownerOfCall(state, id), rules)
}

function createDisguise(
  ownerOf: (toolUseId: string) => string | undefined,
  { hidesAgent }: Pick<ViewRules, 'hidesAgent'>,
): CallDisguise {
  const idOf = (id: string): string => {
    const owner = ownerOf(id)
    return owner !== undefined && hidesAgent(owner) ? `${mark}${id}` : id
  }
  const withId = <Answer extends { readonly toolUseId: string }>(answer: Answer): Answer => ({
    ...answer,
    toolUseId: idOf(answer.toolUseId),
  })
  return {
    idOf,
    answersOf: ({ results, decisions }) => ({
      ...(results !== undefined && { results: results.map(withId) }),
      ...(decisions !== undefined && { decisions: decisions.map(withId) }),
    }),
    within: async (task) => {
      try {
        return await task()
      } catch (error) {
        throw isMillraceError(error) ? withoutMark(error) : error
      }
    },
  }
}

function withoutMark(error: MillraceError): MillraceError {
  const { code, message, details, cause } = error
  return message.includes(mark)
    ? new MillraceError(code, message.replaceAll(mark, ''), { details, cause })
    : error
}

/** The agent that a request means, or one that does not exist in place of a hidden one. */
export function disguiseAgent(
  agent: string | undefined,
  rules: ViewRules | undefined,
): string | undefined {
  return agent !== undefined && rules?.hidesAgent(agent) === true ? `${mark}${agent}` : agent
}
