import type { Bench } from '../bench-case.ts'
import { storeKinds } from '../servers/index.ts'
import { allowed } from '../serving/allowed.ts'
import { measureReplay, measureStalled } from '../serving/measure-replay.ts'
import { formatTable } from '../table.ts'

/** More bytes than the socket buffers of a machine hold. */
const STALLED_MESSAGES = 200_000

const contenders = [
  { name: 'SQLite, merged', kind: 'sqlite', query: 'compact=1' },
  { name: 'SQLite, one by one', kind: 'sqlite', query: 'compact=0' },
  { name: 'in memory, merged', kind: 'memory', query: 'compact=1' },
  { name: 'Redis, one by one', kind: 'redis', query: 'compact=0' },
  { name: 'Postgres, one by one', kind: 'postgres', query: 'compact=0' },
] as const

const thousands = (value: number) => Math.round(value).toLocaleString('en-US')

/** Measures the cost of late readers, and of readers that never read. */
export const replayBench: Bench = {
  name: 'replay',
  run: async (onProgress, { isLong }) => {
    const messages = isLong ? 1_000_000 : 200_000
    const rows: string[][] = [['', 'arrived', 'MB', 's', 'CPU µs each', 'more memory']]
    const faults: string[] = []
    for (const { name, kind, query } of contenders) {
      if (storeKinds[kind].missing !== '') continue
      onProgress(`replay: ${name}, ${thousands(messages)} messages`)
      const figures = await measureReplay(kind, messages, query)
      const { arrived, megabytes, seconds, cpuUs, moreBytes } = figures
      const more = `${(moreBytes / 1_000_000).toFixed(1)} MB`
      const cells = [megabytes.toFixed(1), seconds.toFixed(1), cpuUs.toFixed(2), more]
      rows.push([name, thousands(arrived), ...cells])
      if (moreBytes > allowed.replayBytes) faults.push(`${name}: the server grows by ${more}`)
    }
    onProgress('replay: 100 readers that never read')
    const { mostBytes, averageBytes, rssEach } = await measureStalled({
      messages: STALLED_MESSAGES,
    })
    if (mostBytes > allowed.heldBytes) faults.push(`${mostBytes} bytes wait for one reader`)
    const held = [
      `the most ${thousands(mostBytes)} bytes, on average ${thousands(averageBytes)}`,
      `${thousands(rssEach)} bytes more of the process for each`,
    ]
    return {
      text: [
        `replay: a log of ${thousands(messages)} messages from its beginning, CPU for each of them\n${formatTable(rows)}`,
        `100 readers that never read: queued for one, ${held.join('; ')}`,
      ].join('\n\n'),
      faults,
    }
  },
}
