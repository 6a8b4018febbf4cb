import { jsonFormatter } from 'millrace/formatters'
import type { ProviderInput } from 'millrace/formatters'
import { createChatFrameReader, createChatReader } from 'millrace/openai'
import type { ExchangeHead } from './read-exchange.ts'
import type { FrameTranslator, RecordedItem } from './recorded-item.ts'

/** Formats of providers. */
export type ProviderForm = 'anthropic' | 'openai'

/** Converts events of a provider to the messages of an agent. */
export function createProviderFrames(
  form: ProviderForm,
  { prompt, time: askedAt }: ExchangeHead,
): FrameTranslator {
  const run = { runId: 'recording', prompt, name: form }
  const formatter = jsonFormatter({ agent: 'recording', run, toolInput: 'live' })
  const toInputs = readers[form]()
  let id = 0
  let last: RecordedItem = { data: '', isTimed: false }

  const write = (data: string): RecordedItem => {
    const { time, isTimed = true } = last
    // The run began with the request and not with the response.
    const isAsked = ++id === 1 && isTimed
    return { id, data, isTimed, ...(time !== undefined && { time: isAsked ? askedAt : time }) }
  }
  return {
    take(item) {
      last = item
      return toInputs(item).flatMap((input) =>
        formatter.feed(input).map(({ data = '' }) => write(data)),
      )
    },
    finish() {
      const frames = formatter.finish().map(({ data = '' }) => write(data))
      const { time, isTimed = true } = last
      return [...frames, { data: '[DONE]', isTimed, ...(time !== undefined && { time }) }]
    },
  }
}

type ToInputs = (item: RecordedItem) => readonly ProviderInput[]

const readers: Readonly<Record<ProviderForm, () => ToInputs>> = {
  anthropic: () => (item) => {
    try {
      return [JSON.parse(item.data) as { readonly type: string }]
    } catch {
      return []
    }
  },
  openai: () => {
    const reader = createChatFrameReader(createChatReader())
    return ({ data, event }) => reader.feed({ data, event, id: undefined })
  },
}
