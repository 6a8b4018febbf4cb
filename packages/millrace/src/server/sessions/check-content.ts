import { generatedFileIds } from '../../agent/index.ts'
import type { Prompt } from '../../events/index.ts'
import { createOutboundPolicy } from '../../outbound/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { loadSession } from './load-session.ts'
import type { Runs } from '../runs/runs.ts'

/** What the policy is made of. */
type CheckedBy = Pick<HandlerOptions, 'store' | 'outbound'>

/** Makes runs check the content of clients by the outbound policy, before anything is stored. */
export function withContentCheck(options: CheckedBy, runs: Runs): Runs {
  const check = createContentCheck(options)
  return {
    ...runs,
    ask: async (question) => {
      await check(question.session, [question.prompt])
      return runs.ask(question)
    },
    answer: async (session, answers, key) => {
      const { results = [] } = answers
      const contents = results.map(({ content }) => content)
      await check(session, contents)
      return runs.answer(session, answers, key)
    },
    steer: async (session, prompt, agent, key) => {
      await check(session, [prompt])
      return runs.steer(session, prompt, agent, key)
    },
  }
}

function createContentCheck({ store, outbound }: CheckedBy) {
  const policy = createOutboundPolicy(outbound)
  return async (session: string, contents: readonly Prompt[]): Promise<void> => {
    const made = async (): Promise<ReadonlySet<string>> => {
      const loaded = await loadSession(store, await mapStoreErrors(store.info(session)))
      const state = loaded?.stored.state
      return new Set(state === undefined ? [] : generatedFileIds(state))
    }
    for (const content of contents) await policy.check(content, { session, madeFileIds: made })
  }
}
