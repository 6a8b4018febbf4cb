import { createAgent } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'
import { createHandler, createMemoryStore } from 'millrace/server'
import { createEmulator } from 'millrace-tools/emulator'

/** A Durable Object that serves the handler: its requests share the memory, which those of a Worker do not. */
export class Mill {
  #handler

  constructor(_, { ANTHROPIC_API_KEY: apiKey }) {
    console.warn(
      'Sessions are in memory. An object that gets no request for ten seconds is evicted, and loses them and its runs.',
    )
    const model = apiKey
      ? anthropic('claude-sonnet-5', { apiKey })
      : anthropic('emulator', { apiKey: 'none needed', fetch: createEmulator().fetch })
    this.#handler = createHandler({
      agents: { talker: createAgent({ name: 'talker', model }) },
      defaultAgent: 'talker',
      store: createMemoryStore(),
    })
  }

  fetch(request) {
    return this.#handler.fetch(request)
  }
}

export default {
  fetch: (request, { MILL }) => MILL.get(MILL.idFromName('mill')).fetch(request),
}
