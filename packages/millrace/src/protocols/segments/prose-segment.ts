import type { JsonObject } from '../../json/index.ts'
import type { SegmentEvent, SegmentType } from '../../segments/index.ts'

interface ProseSegmentOptions {
  readonly id: string
  readonly type: SegmentType
  readonly metadata: JsonObject
  readonly write: (event: SegmentEvent) => void
}

/** Growing text or reasoning. An empty one writes no segment. [SEG-4] */
export class ProseSegment {
  readonly #options: ProseSegmentOptions
  #isStarted = false

  constructor(options: ProseSegmentOptions) {
    this.#options = options
  }

  add(delta: string): void {
    const { id, type, metadata, write } = this.#options
    if (!this.#isStarted) {
      write({ type: 'SEGMENT_START', segment_id: id, segment_type: type, payload: { metadata } })
      this.#isStarted = true
    }
    write({ type: 'SEGMENT_CONTENT', segment_id: id, payload: { delta } })
  }

  end(isInterrupted: boolean): void {
    const { id, write } = this.#options
    const payload = isInterrupted ? { complete: false as const } : {}
    if (this.#isStarted) write({ type: 'SEGMENT_END', segment_id: id, payload })
  }
}
