import { expect, test } from 'vitest'
import { runLab } from '../run/lab-run.ts'
import { examples } from '../settings/examples.ts'
import { toSettings } from '../settings/lab-address.ts'
import { cutBlocks } from './source-blocks.ts'

test('blocks are short and adjacent, and contain their parts of the runs', () => {
  for (const example of examples) {
    const run = runLab({ ...toSettings(example), text: `${example.text}\n`.repeat(12) })
    let end = 0
    for (const { from, to, runs } of cutBlocks(run.text, run.sources)) {
      expect(from).toBe(end)
      expect(to - from).toBeLessThanOrEqual(2_000)
      expect(runs[0]?.from).toBe(from)
      expect(runs.at(-1)?.to).toBe(to)
      for (const [index, each] of runs.entries()) {
        const whole = run.sources.find((source) => source.from <= each.from && source.to >= each.to)
        expect(each).toMatchObject({ kind: whole?.kind, segment: whole?.segment })
        if (index > 0) expect(each.from).toBe(runs[index - 1]?.to)
      }
      end = to
    }
    expect(end).toBe(run.text.length)
  }
})
