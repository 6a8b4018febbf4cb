/** A prompt to try, with what it shows. */
export interface Demo {
  readonly prompt: string
  readonly title: string
  readonly text: string
}

/** What the demo agent can show, in the order in which a newcomer may try it. */
export const demos: readonly Demo[] = [
  { prompt: '/demo text', title: 'Markdown', text: 'Lists, code and a table, as they arrive' },
  { prompt: '/demo thinking', title: 'Thinking', text: 'Reasoning first, then the answer' },
  { prompt: '/demo tools', title: 'Tools', text: 'Two calls run side by side' },
  { prompt: '/demo frontend', title: 'A question', text: 'The run pauses until you decide' },
  { prompt: '/demo error', title: 'A failure', text: 'How a model that breaks off looks' },
  { prompt: '/demo long 5000', title: 'Long', text: '5,000 pieces: reload in the middle' },
]
