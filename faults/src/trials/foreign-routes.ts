import { agUi } from '../foreign/ag-ui-client.ts'
import { aiSdk } from '../foreign/ai-sdk-client.ts'
import { decideTwice } from '../foreign/decide-twice.ts'
import type { ForeignPlace } from '../foreign/foreign-stand.ts'
import { killWhileAsked } from '../foreign/kill-while-asked.ts'
import { stopWhileKilled } from '../foreign/stop-while-killed.ts'
import { hasRedis } from '../mill/with-stand.ts'
import type { Finding, Trial } from '../trial.ts'

const stores = [
  { store: 'sqlite', name: 'SQLite' },
  { store: 'redis', name: 'Redis, two servers' },
] as const

/** Servers of clients of other protocols are killed while messages, decisions and stops are posted several times. */
export const foreignRoutes: Trial = {
  name: 'foreign-routes',
  summary:
    'AI SDK and AG-UI clients: kill -9 while messages, decisions and stops are posted again and again',
  run: async (options) => {
    const findings: Finding[] = []
    for (const protocol of [aiSdk, agUi]) {
      for (const { store, name } of stores) {
        if (store === 'redis' && !hasRedis) continue
        const place: ForeignPlace = { protocol, store, where: `${protocol.name}, ${name}` }
        for (const play of [killWhileAsked, decideTwice, stopWhileKilled])
          findings.push(await play(place, options))
      }
    }
    return findings
  },
}
