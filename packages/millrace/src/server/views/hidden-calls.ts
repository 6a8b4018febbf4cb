import { ownerOfCall } from '../../agent/index.ts'
import type { PauseAnswers } from '../../agent/port/index.ts'
import { isMillraceError, MillraceError } from '../../errors/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { ServerContext } from '../server-context.ts'
import { headOf, loadPending, loadSession } from '../sessions/load-session.ts'
import type { ViewRules } from './view-rules.ts'

/** Masks ids of calls of hidden agents in a request, so that they match no call. */
export interface CallMask {
  /** Returns the id, or an unknown id if the call belongs to a hidden agent. */
  readonly idOf: (toolUseId: string) => string
  /** Masks the ids in answers. */
  readonly answersOf: (answers: PauseAnswers) => PauseAnswers
  /** Runs a task with masked ids; its errors contain the original ids. */
  readonly within: <Result>(task: () => Promise<Result>) => Promise<Result>
}

/** No call id has this prefix: models and this library write no control characters. */
const mark = '\u0000hidden:'

const noMask: CallMask = {
  idOf: (id) => id,
  answersOf: (answers) => answers,
  within: (task) => task(),
}

/** If the view cannot be determined, all calls are hidden; the request fails later, when content is read. */
const unknownView: Pick<ViewRules, 'hidesAgent'> = { hidesAgent: () => true }

/** Finds the calls of a request that are hidden from it, so that it gets the same response as for calls that do not exist. */
export async function maskCalls(
  { store, viewOf }: Pick<ServerContext, 'store' | 'viewOf'>,
  request: Request,
  session: string,
  ids: readonly string[],
): Promise<CallMask> {
  const rules = await viewOf(request, session).catch(() => unknownView)
  if (rules === undefined || ids.length === 0) return noMask
  const info = await mapStoreErrors(store.info(session))
  const head = headOf(info)
  if (info === undefined || head === undefined) return noMask
  const { calls, approvals } = await loadPending(store, info, head)
  const agents = new Map([...calls, ...approvals].map(({ id, agent }) => [id, agent]))
  if (ids.every((id) => agents.has(id))) return createCallMask((id) => agents.get(id), rules)
  // Only the complete state knows calls that are no longer pending.
  const loaded = await loadSession(store, info)
  const state = loaded?.stored.state
  return state === undefined ? noMask : createCallMask((id) => ownerOfCall(state, id), rules)
}

function createCallMask(
  ownerOf: (toolUseId: string) => string | undefined,
  { hidesAgent }: Pick<ViewRules, 'hidesAgent'>,
): CallMask {
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

/** Returns the agent of a request, masked if it is hidden. */
export function maskAgent(
  agent: string | undefined,
  rules: ViewRules | undefined,
): string | undefined {
  return agent !== undefined && rules?.hidesAgent(agent) === true ? `${mark}${agent}` : agent
}
