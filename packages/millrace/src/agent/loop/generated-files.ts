import type { AgentEvent, ContentBlock, GeneratedFile } from '../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../json/index.ts'
import { filesOfRun } from '../state/index.ts'
import type { Checkpoint } from '../agent.ts'
import { checkpoint, type Run } from '../run.ts'
import { awaitOrAbort } from '../../streams/index.ts'

/** A file that the provider generated and stores. */
export interface ProviderFile {
  readonly fileId: string
  /** The agent whose conversation it belongs to. */
  readonly agent: string
}

/** Copies a file from the provider to storage that users can reach. */
export interface FileKeeper {
  keep(file: ProviderFile, options: { readonly signal: AbortSignal }): Promise<GeneratedFile>
}

/** Fetches the files that the provider generated in an answer, and emits all files of the run so far. */
export async function* emitGeneratedFiles(
  run: Run,
  content: readonly ContentBlock[],
): AsyncGenerator<AgentEvent | Checkpoint, void, undefined> {
  const { agent, files: known = [] } = run.state
  const knownIds = new Set(known.map(({ fileId }) => fileId))
  const fresh = [...new Set(content.flatMap(findFileIds))].filter((id) => !knownIds.has(id))
  if (fresh.length === 0) return
  const kept = await Promise.all(fresh.map((fileId) => keepFile(run, { fileId, agent })))
  const files = [...known, ...kept]
  run.state = { ...run.state, files }
  yield checkpoint(run.state)
  yield { type: 'files', agent, files: filesOfRun(run.state) }
}

async function keepFile(
  { settings, signal, permit }: Run,
  file: ProviderFile,
): Promise<GeneratedFile> {
  const { fileId } = file
  const unnamed = { fileId, filename: `file_${fileId}`, storageLocation: '' }
  if (settings.files === undefined) return unnamed
  await permit()
  if (signal.aborted) return unnamed
  try {
    return (await awaitOrAbort(settings.files.keep(file, { signal }), signal)) ?? unnamed
  } catch (error) {
    settings.onError(error)
    return unnamed
  }
}

/** Finds the ids of generated files in a result of a provider tool, at any depth. */
function findFileIds(block: ContentBlock): string[] {
  const isResult = block.type.endsWith('_tool_result') || block.type === 'container_upload'
  return isResult ? idsIn(block) : []
}

function idsIn(value: JsonValue): string[] {
  if (isJsonArray(value)) return value.flatMap(idsIn)
  if (!isJsonObject(value)) return []
  const { file_id: id, ...rest } = value
  return [
    ...(typeof id === 'string' ? [id] : []),
    ...Object.values(rest).flatMap((part) => (part === undefined ? [] : idsIn(part))),
  ]
}
