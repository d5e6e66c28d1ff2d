/**
 * Preset dictionary `agent-events-v1`: the text that agent events share, so that small ones compress
 * too. Made from this kit's own event shapes and the vocabulary of agent transcripts; what is most
 * common stands last, where deflate refers to it most cheaply (zlib manual, deflateSetDictionary).
 *
 * Its bytes are part of the stored format and never change; a better one gets a new name.
 */
export const agentEventsV1: string =
  '{"type":"permission_decision","callId":"","allowed":true,"reason":""}' +
  '{"type":"background_completed","taskId":"","output":""}' +
  '{"type":"summary","summary":"","throughSeq":}' +
  '{"type":"file_snapshot","path":"","before":{"state":"absent"},"afterHash":null}' +
  '"before":{"state":"base64","base64":"","mode":493},"before":{"state":"truncated","bytes":' +
  '"before":{"state":"text","text":"","mode":420},"afterHash":"' +
  "package.json tsconfig.json README.md src/index.ts test/ node_modules/ import from export " +
  "const function return async await string number boolean interface " +
  "The file has been updated successfully. No such file or directory. Command failed with exit " +
  "code 1\\nError: Cannot find module Expected Received passed failed tests\\n" +
  '"is_error":false,"stop_reason":"end_turn","stop_reason":"tool_use","finish_reason":"stop",' +
  '"usage":{"input_tokens":,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,' +
  '"output_tokens":,"service_tier":"standard"},"prompt_tokens":,"completion_tokens":,' +
  '"parentUuid":null,"isSidechain":false,"userType":"external","sessionId":"","version":"",' +
  '"gitBranch":"main","uuid":"","timestamp":"2026-01-01T00:00:00.000Z","requestId":"req_' +
  '"message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-","content":[' +
  '{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":"' +
  '"tool_calls":[{"id":"call_","type":"function","function":{"name":"","arguments":"{\\"' +
  '"type":"thinking","thinking":"","signature":"' +
  '{"type":"tool_use","id":"toolu_01","name":"Bash","input":{"command":"","description":"' +
  '{"tool_use_id":"toolu_01","type":"tool_result","content":"' +
  '"name":"read_file","input":{"path":"","name":"write_file","input":{"path":"","content":"' +
  '"name":"edit_file","input":{"path":"","old_string":"","new_string":"' +
  '{"type":"tool_result","callId":"call_","output":"","isError":false}' +
  '{"type":"tool_started","callId":"call_","name":"","input":{' +
  '{"type":"assistant","content":[{"type":"text","text":"I will look at the "}],"model":"",' +
  '"usage":{"inputTokens":,"outputTokens":}}' +
  '{"type":"user","content":"","origin":"input"}';
