import { demand } from '../deltas.ts'
import type { MessageRunner } from './runner.ts'

/** The minimum work of any reader: decodes the bytes and parses each line of JSON. */
export const floor: MessageRunner = {
  name: 'TextDecoder and JSON.parse alone',
  prepare(sample) {
    return () => {
      const decoder = new TextDecoder()
      let text = ''
      for (const chunk of sample.chunks) text += decoder.decode(chunk, { stream: true })
      const lines = text.split('\n').filter((line) => line.startsWith('data: '))
      let events = 0
      for (const line of lines) if (JSON.parse(line.slice(6)) !== null) events++
      demand(events === sample.events, 'the floor')
    }
  },
}
