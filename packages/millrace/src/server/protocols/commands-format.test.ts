import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyLog, writeAll } from '../../../test/support/frames/play-log.ts'
import { runs } from '../../../test/support/runs.ts'
import { openFormat } from '../../protocols/port/index.ts'
import { createCommandsFormat } from './commands-format.ts'

test('[PROD-5] commands after any frame are those of a stream without an interruption', () => {
  fc.assert(
    fc.property(anyLog, fc.nat(), (log, place) => {
      const cut = place % (log.messages.length + 1)
      const all = writeAll(openFormat(createCommandsFormat(), log.root), log.messages)
      const second = openFormat(createCommandsFormat(), log.root)
      writeAll(second, log.messages.slice(0, cut))
      expect(writeAll(second, log.messages.slice(cut))).toEqual(all.slice(cut))
    }),
    { numRuns: runs(30, 1000) },
  )
})
