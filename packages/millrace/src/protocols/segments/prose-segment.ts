import type { JsonObject } from '../../json/index.ts'
import type { SegmentEvent, SegmentType } from '../../segments/index.ts'

/** Where the events of a text go. */
export interface ProseSegmentOptions {
  readonly id: string
  readonly type: SegmentType
  readonly metadata: JsonObject
  readonly say: (event: SegmentEvent) => void
}

/** Text or reasoning while it grows; one without a character makes no segment. [SEG-4] */
export class ProseSegment {
  readonly #options: ProseSegmentOptions
  #isStarted = false

  constructor(options: ProseSegmentOptions) {
    this.#options = options
  }

  add(delta: string): void {
    const { id, type, metadata, say } = this.#options
    if (!this.#isStarted) {
      say({ type: 'SEGMENT_START', segment_id: id, segment_type: type, payload: { metadata } })
      this.#isStarted = true
    }
    say({ type: 'SEGMENT_CONTENT', segment_id: id, payload: { delta } })
  }

  end(isInterrupted: boolean): void {
    const { id, say } = this.#options
    const payload = isInterrupted ? { complete: false as const } : {}
    if (this.#isStarted) say({ type: 'SEGMENT_END', segment_id: id, payload })
  }
}
