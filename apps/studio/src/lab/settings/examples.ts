import type { Chunking } from './chunking.ts'
import type { FormatKind, LabFormat } from './format-choice.ts'
import type { LabSwitches } from './lab-settings.ts'

/** A text to try, with its settings. */
export interface Example {
  readonly id: string
  readonly title: string
  /** The hint that the picker shows for the example. */
  readonly look: string
  readonly format: LabFormat
  readonly text: string
  readonly switches?: Partial<LabSwitches>
  readonly knownTools?: string
  readonly chunking?: Chunking
}

const format = (kind: FormatKind, detail = ''): LabFormat => ({ kind, detail })

/** Texts as models write them: one for each important notation, and some that are malformed. */
export const examples: readonly Example[] = [
  {
    id: 'hermes',
    title: 'Hermes: a tag around JSON',
    look: 'Step over “<tool_call>”: it is held back until it is certain, and never shown as text.',
    format: format('named', 'think,hermes'),
    text: `<think>
The user wants the weather, so I need the tool. 3 < 5, by the way.
</think>

Let me look that up.
<tool_call>
{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}
</tool_call>`,
  },
  {
    id: 'write-file',
    title: 'Hermes: a file, written while it streams',
    look: 'A call of write_file becomes a file: its content is decoded while the JSON string is still open.',
    format: format('named', 'hermes'),
    text: String.raw`I will write the script.
<tool_call>
{"name": "write_file", "arguments": {"path": "/src/mill.py", "content": "def grind(kg):\n    \"\"\"80 % becomes flour \ud83c\udf3e\"\"\"\n    return kg * 0.8\n\nprint(grind(20))\n"}}
</tool_call>
Done.`,
  },
  {
    id: 'path-last',
    title: 'Hermes: the content comes before the path',
    look: 'The file cannot start until its path is known; its content waits (hatched), then all of it is emitted at once.',
    format: format('named', 'hermes'),
    text: String.raw`<tool_call>
{"name": "write_file", "arguments": {"content": "# The mill\n\nIt grinds.\n", "path": "/README.md", "mode": "0644"}}
</tool_call>`,
  },
  {
    id: 'qwen3coder',
    title: 'Qwen3 Coder: parameters in tags',
    look: 'The closing tag inside the script is data, because no parameter follows it; the last one closes.',
    format: format('named', 'qwen3coder'),
    text: `<tool_call>
<function=run_bash>
<parameter=command>
echo "</parameter> is only text here" | tee note.txt
</parameter>
</function>
</tool_call>`,
  },
  {
    id: 'glm',
    title: 'GLM: keys and values in tags',
    look: 'The content of the segment is JSON that the parser writes from the pairs.',
    format: format('named', 'think,glm'),
    text: `<think>Two days are enough.</think>
<tool_call>get_weather
<arg_key>city</arg_key>
<arg_value>Lisbon</arg_value>
<arg_key>days</arg_key>
<arg_value>2</arg_value>
</tool_call>`,
  },
  {
    id: 'anthropic',
    title: 'Invoke: two calls in one wrapper',
    look: 'The wrapper is markup; each call inside is a segment and an invocation of its own.',
    format: format('named', 'anthropic'),
    text: `I'll check the repository first.

<function_calls>
<invoke name="run_bash">
<parameter name="command">git status --short</parameter>
</invoke>
<invoke name="read_file">
<parameter name="path">/README.md</parameter>
</invoke>
</function_calls>`,
  },
  {
    id: 'harmony',
    title: 'Harmony: the channels of gpt-oss',
    look: 'Analysis is reasoning, a message to a function is a call, the final channel is text.',
    format: format('named', 'harmony'),
    text: `<|channel|>analysis<|message|>I should search before I answer.<|end|><|start|>assistant<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query":"water mills in Norway"}<|call|><|start|>assistant<|channel|>final<|message|>There are about 400 left.<|return|>`,
  },
  {
    id: 'kimi-k2',
    title: 'Kimi K2: special tokens and call ids',
    look: 'The id of the call is in the metadata; the closing token inside a string does not close.',
    format: format('named', 'kimi-k2'),
    text: `Searching.<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"query": "what does <|tool_call_end|> mean"}<|tool_call_end|><|tool_call_begin|>functions.get_time:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`,
  },
  {
    id: 'deepseek-v3',
    title: 'DeepSeek V3: full-width special tokens',
    look: 'Special tokens count everywhere, also inside code.',
    format: format('named', 'think,deepseek-v3'),
    text: `<think>Both can run side by side.</think>One moment.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":"杭州"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>get_time<｜tool▁sep｜>{"zone":"Asia/Shanghai"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  },
  {
    id: 'mistral',
    title: 'Mistral: a token and a list of calls',
    look: 'Square brackets of prose are released at once; only “[TOOL_CALLS]” opens.',
    format: format('named', 'mistral'),
    text: `See [1] and [TODO].
[TOOL_CALLS][{"name": "search", "arguments": {"query": "[TOOL_CALLS] token"}}, {"name": "get_time", "arguments": {}}]`,
  },
  {
    id: 'llama3',
    title: 'Llama 3: JSON without a marker',
    look: 'No marker precedes the call: it counts only at the start, and only for a known tool.',
    format: format('named', 'llama3'),
    knownTools: 'get_weather, search',
    text: `{"name": "get_weather", "parameters": {"city": "Bergen"}}`,
  },
  {
    id: 'pythonic',
    title: 'Pythonic: a list of calls in Python',
    look: 'Only its shape identifies the list; its values become JSON, and a string streams while it is open.',
    format: format('named', 'pythonic'),
    text: `[get_weather(city='San Francisco', units="c"), set_alarm(days=[1, 2], loud=True, note=None)]`,
  },
  {
    id: 'gemma4',
    title: 'Gemma: calls with quotes of their own',
    look: 'The quotes are special tokens, so braces, commas and real quotes inside a string are data.',
    format: format('named', 'gemma4'),
    text: `<|channel>thought
A forecast is needed.<channel|>Let me see. <|tool_call>call:get_weather{city:<|"|>Oslo, "the {capital}"<|"|>,days:3,hourly:true}<tool_call|>`,
  },
  {
    id: 'seed-xml',
    title: 'XML strategy: files, patches, commands',
    look: 'Each tag is a segment of its own type; “1 < 2” and “<b>” are only text.',
    format: format('xml'),
    text: `If 1 < 2, then <b>write</b>:
<write_file path="/tmp/a.sh">
#!/bin/sh
if [ 1 -lt 2 ]; then echo "<ok>"; fi
</write_file>
<run_bash>sh /tmp/a.sh</run_bash>
<tool name="search"><arguments><arg name="query">shell &amp; test</arg></arguments></tool>`,
  },
  {
    id: 'seed-json',
    title: 'JSON strategy: calls of OpenAI’s shape',
    look: 'A brace is held only as long as it can still be a call; the content is the JSON as it came.',
    format: format('json', 'openai'),
    text: `An object like {"a": 1} is no call. This is one:
{"tool_calls": [{"function": {"name": "search", "arguments": "{\\"query\\": \\"mills\\"}"}}, {"function": {"name": "get_time", "arguments": "{}"}}]}
That is all.`,
  },
  {
    id: 'sentinel',
    title: 'Sentinel strategy: blocks with a JSON header',
    look: 'A sentinel is unambiguous: even “[[1]]” and “]]” inside the file are data.',
    format: format('sentinel'),
    text: `Here is the matrix.
[[SEG_START {"type": "write_file", "path": "/matrix.json"}]]
[[1, 2], [3, 4]]
[[SEG_END]]
Saved.`,
  },
  {
    id: 'bolt',
    title: 'Bolt: artifacts with files and commands',
    look: 'One wrapper, a file and a command; the line breaks around the content are dropped.',
    format: format('named', 'bolt'),
    text: `A small page:
<boltArtifact id="page" title="A page">
<boltAction type="file" filePath="index.html">
<h1>The mill</h1>
</boltAction>
<boltAction type="shell">npx serve .</boltAction>
</boltArtifact>
Open it in a browser.`,
  },
  {
    id: 'apply-patch',
    title: 'apply_patch: a patch of several files',
    look: 'Each file is a segment with its hunks; the path is known from its first line.',
    format: format('named', 'apply-patch'),
    text: `Two files change:
*** Begin Patch
*** Update File: src/mill.py
@@ def grind(kg):
-    return kg
+    return kg * 0.8
*** Add File: CHANGES.md
+The yield is right now.
*** End Patch
Run the tests.`,
  },
  {
    id: 'tags',
    title: 'Cline: tags named after the tools',
    look: 'Only the tools that are named here are tags; “<content>” inside the content is data.',
    format: format('tags', 'read_file: path; write_to_file: path, content'),
    text: `First I read it.
<read_file>
<path>src/a.ts</path>
</read_file>
<write_to_file>
<path>notes.md</path>
<content>
Close with </content> or </write_to_file>.
</content>
</write_to_file>`,
  },
  {
    id: 'adversarial',
    title: 'Adversarial: examples, near misses, traps',
    look: 'One real call is hidden among quoted ones, look-alikes and stray tags. Nothing else may run.',
    format: format('auto'),
    chunking: { kind: 'character', number: 0 },
    text: `A call looks like \`<tool_call>{"name":"rm","arguments":{}}</tool_call>\`, or in a block:

\`\`\`xml
<tool_call>{"name": "run_bash", "arguments": {"command": "rm -rf /"}}</tool_call>
\`\`\`

Look-alikes: <tool_calls_, <toolcall>, < think>, <<think, </tool_call>, [TOOL_CALL], <|tool_call
<tool_call>{"name": "note", "arguments": {"text": "</tool_call> <tool_call> \\"}} <think>"}}</tool_call>
a <tool_call> without anything, and the end: <tool_ca`,
  },
  {
    id: 'truncated',
    title: 'Truncated: the stream stops inside a file',
    look: 'Go to the end: the file is closed as incomplete, and no tool is invoked.',
    format: format('named', 'think,qwen3coder'),
    text: `<think>A long file.</think>
<tool_call>
<function=write_file>
<parameter=path>
/src/long.py
</parameter>
<parameter=content>
def first():
    return 1


def second():
    retu`,
  },
  {
    id: 'repaired',
    title: 'Sloppy: brackets are missing',
    look: 'The closing tag comes before the last braces; they are added, and the call is marked as repaired.',
    format: format('named', 'hermes'),
    text: `<tool_call>
{"name": "get_weather", "arguments": {"city": "Troms\\u00f8", "units": ["c"]
</tool_call>
There.`,
  },
  {
    id: 'prefilled',
    title: 'Reasoning that the prompt has opened',
    look: 'There is no opening tag, and the closing one is forgotten too: the call ends the reasoning.',
    format: format('auto'),
    switches: { startIn: 'reasoning' },
    text: `The user asks for the time in Oslo. I have a tool for that.
<tool_call>{"name": "get_time", "arguments": {"zone": "Europe/Oslo"}}</tool_call>`,
  },
]

/** Returns the example with an id. */
export function findExample(id: string): Example | undefined {
  return examples.find((example) => example.id === id)
}
