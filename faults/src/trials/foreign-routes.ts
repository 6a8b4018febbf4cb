import { agUi } from '../foreign/ag-ui-client.ts'
import { aiSdk } from '../foreign/ai-sdk-client.ts'
import { decideTwice } from '../foreign/decide-twice.ts'
import type { ForeignPlace } from '../foreign/foreign-stand.ts'
import { killWhileAsked } from '../foreign/kill-while-asked.ts'
import { stopWhileKilled } from '../foreign/stop-while-killed.ts'
import { storePlaces } from '../stores.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

/** Each protocol on each store; the short form uses one store for each protocol. */
function choosePlaces(options: TrialOptions) {
  const chosen = { [aiSdk.name]: 'redis', [agUi.name]: 'sqlite' }
  return [aiSdk, agUi].flatMap((protocol) =>
    storePlaces(options)
      .filter(({ store }) => !options.isShort || store === chosen[protocol.name])
      .map((place) => ({ ...place, protocol })),
  )
}

/** Servers of clients of other protocols are killed while messages, decisions and stops are posted several times. */
export const foreignRoutes: Trial = {
  name: 'foreign-routes',
  summary:
    'AI SDK and AG-UI clients: kill -9 while messages, decisions and stops are posted again and again',
  run: async (options) => {
    const findings: Finding[] = []
    for (const { protocol, store, where } of choosePlaces(options)) {
      const place: ForeignPlace = { protocol, store, where: `${protocol.name}, ${where}` }
      for (const play of [killWhileAsked, decideTwice, stopWhileKilled])
        findings.push(await play(place, options))
    }
    return findings
  },
}
