import type { Anthropic } from '@anthropic-ai/sdk'
import type { AnthropicOptions } from './anthropic.ts'
import { loadOnce } from './load-client.ts'

/** A file stored by the provider, with its content. */
export interface AnthropicFile {
  readonly fileId: string
  /** The name that the provider's code chose. It is not a safe path. */
  readonly filename: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Options of {@link anthropicFiles}. */
export interface AnthropicFilesOptions extends Pick<
  AnthropicOptions,
  'apiKey' | 'baseURL' | 'fetch'
> {
  /** A client of the official SDK; default: a new one. */
  readonly client?: Pick<Anthropic, 'beta'>
}

/** Reads files that the provider has generated. */
export interface AnthropicFiles {
  read(fileId: string, options?: { readonly signal?: AbortSignal }): Promise<AnthropicFile>
}

/** Creates a reader of files that the provider generated in its container. Uses the Files API. */
export function anthropicFiles({
  apiKey,
  baseURL,
  fetch,
  client,
}: AnthropicFilesOptions = {}): AnthropicFiles {
  const loadClient = loadOnce(client, { apiKey, baseURL, fetch })
  return {
    async read(fileId, { signal } = {}) {
      const options = signal === undefined ? {} : { signal }
      const { files } = (await loadClient()).beta
      const { filename, mime_type: mediaType } = await files.retrieveMetadata(fileId, {}, options)
      const content = await files.download(fileId, {}, options)
      return { fileId, filename, mediaType, bytes: new Uint8Array(await content.arrayBuffer()) }
    },
  }
}
