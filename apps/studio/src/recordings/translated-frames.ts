import type { RecordedItem } from './recorded-item.ts'

/** Turns what a file holds into messages, as an agent would have sent them. */
export interface TranslatedFrames {
  readonly take: (item: RecordedItem) => RecordedItem[]
  readonly finish: () => RecordedItem[]
}
