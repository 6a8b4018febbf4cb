import type { Prompt } from '../../events/index.ts'
import { createOutboundPolicy } from '../../outbound/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { readFileIds } from '../runs/stored-run.ts'
import type { Runs } from '../runs/runs.ts'

/** Options of the content check. */
type CheckedBy = Pick<HandlerOptions, 'store' | 'outbound'>

/** Wraps runs: the content of clients is checked by the outbound policy before anything is stored. */
export function withContentCheck(policy: CheckedBy, runs: Runs): Runs {
  const check = createContentCheck(policy)
  return {
    ...runs,
    ask: async (request) => {
      await check(request.session, [request.prompt])
      return runs.ask(request)
    },
    answer: async (session, answers, options) => {
      const { results = [] } = answers
      const contents = results.map(({ content }) => content)
      await check(session, contents)
      return runs.answer(session, answers, options)
    },
    steer: async (session, prompt, options) => {
      await check(session, [prompt])
      return runs.steer(session, prompt, options)
    },
  }
}

function createContentCheck({ store, outbound }: CheckedBy) {
  const policy = createOutboundPolicy(outbound)
  return async (session: string, contents: readonly Prompt[]): Promise<void> => {
    const made = async (): Promise<ReadonlySet<string>> => {
      const info = await mapStoreErrors(store.info(session))
      return info === undefined ? new Set() : readFileIds(store, info)
    }
    for (const content of contents) await policy.check(content, { session, madeFileIds: made })
  }
}
