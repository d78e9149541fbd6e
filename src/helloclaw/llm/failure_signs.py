"""What the providers' error answers mean: their codes and sentences, sorted by kind of failure.

Data and recognition only; what a person is told about it is in `failures`. Every sign comes from a provider's error
reference, its source code or its users' reports; the provider is named beside it.
"""

from __future__ import annotations

import re

from helloclaw.llm.error_report import ErrorReport
from helloclaw.llm.events import FailureKind

_OVERFLOW_CODES = {"context_length_exceeded", "exceed_context_size_error", "request_too_large", "1261", "1039", "3051"}
_OVERFLOW_SIGNS = (
    r"(prompt|input) is too (long|large)",  # Anthropic, Bedrock
    r"exceeds? context limit",  # Anthropic, when max_tokens does not fit
    r"request exceeds the maximum (allowed )?(size|number)",  # Anthropic
    r"maximum (context|prompt|model) length",  # OpenAI, DeepSeek, OpenRouter, vLLM, SGLang, Mistral, xAI
    r"context[ _](length|window|size)[ _](has been )?exceed",  # OpenAI, LM Studio
    r"exceeds the (available )?context (window|size|length)",  # OpenAI, llama.cpp, Ollama
    r"request too large for",  # OpenAI: more than a minute's tokens in one request, no wait can help
    r"exceeded model token limit",  # Kimi
    r"prompt exceeds max length|prompt ?超长|(输入|上下文)[^。]{0,12}超(长|过|出)",  # GLM
    r"context window exceeds limit",  # MiniMax
    r"range of input length should be",  # DashScope
    r"input token count[^.]*exceed",  # Gemini
    r"input length \d+ exceeds|total tokens of .{0,24}exceed max",  # Volcengine, LM Studio
    r"too long to fit into the model",  # vLLM
    r"context length (is|of) only",  # vLLM, LM Studio
    r"longer than the (model's context length|maximum model length)",  # SGLang, vLLM
    r"must be less than max_seq_len",  # SiliconFlow
    r"session[_ ]len\b|session max length",  # lmdeploy
    r"exceeded max context length",  # Ollama
    r"cannot truncate prompt with n_keep|tokens to keep from the initial prompt",  # LM Studio
    r"mid-generation context overflow",  # LM Studio
    r"reduce the length of (the|your) (messages|prompt|input)",  # OpenAI, Groq
    r"prompt token count of \d+ exceeds",  # Copilot
)
_OVERFLOW = re.compile("|".join(_OVERFLOW_SIGNS))
_QUOTA_CODES = {
    *("insufficient_quota", "billing_hard_limit_reached", "billing_error"),  # OpenAI, Anthropic
    *("exceeded_current_quota_error", "arrearage", "accountoverdueerror", "allocationquota.freetieronly"),
    *("1113", "1304", "1308", "1309", "1310", "1008", "2056", "30001"),  # GLM, MiniMax, SiliconFlow
}
_QUOTA = re.compile(
    r"insufficient (account )?(balance|credits?|quota|funds)|credit balance is too low|余额不足|欠费|无可用资源包"
    r"|exceeded your current quota|good standing|free tier of the model has been exhausted|balance is insufficient"
)
_RATE_CODES = {"rate_limit_error", "rate_limit_exceeded", "rate_limit_reached_error", "1302", "1303", "1002"}
_RATE = re.compile(
    r"rate[ _]?limit|too many requests|requests? per (minute|second)|请求过多|并发数|速率限制|resource_exhausted"
)
_OVERLOADED_CODES = {
    *("overloaded_error", "engine_overloaded_error", "serveroverloaded", "unavailable_error", "unavailable"),
    *("service_unavailable", "1305", "1312", "50505"),
}
_OVERLOADED = re.compile(r"overloaded|server is busy|service is too busy|at capacity|loading model|访问量过大")
_AUTH_CODES = {
    *("authentication_error", "invalid_api_key", "invalidapikey", "invalid_authentication_error", "permission_error"),
    *("api_key_invalid", "unauthenticated", "authenticationerror", "1000", "1001", "1003", "1004", "2049"),
}
_AUTH = re.compile(
    r"(invalid|incorrect|expired|missing) api[ _-]?key|api key (not valid|is invalid|expired)|no auth cred"
)
_NOT_FOUND_CODES = {
    *("model_not_found", "modelnotfound", "resource_not_found_error", "not_found_error", "1211", "1500", "20012"),
    *("invalidendpointormodel.notfound", "modelnotopen", "invalid_model"),
}
_NOT_FOUND = re.compile(
    r"model\b.{0,120}?(not found|does(n't| not) exist|not exist)|(unknown|invalid|no such) model|not a valid model"
    r"|not found the model|模型不存在"
)
_BAD_CODES = {
    *("invalid_request_error", "invalid_parameter_error", "invalidparameter", "invalid_argument"),
    *("bad_request_error", "badrequesterror", "badrequest"),
}
_THINKING = re.compile(
    r"\b(enable_thinking|thinking(_budget|_config|\.type)?|budget_tokens|reasoning(_effort|_content|_split)?"
    r"|include_reasoning|chat_template_kwargs)\b"
)
_REFUSAL_WORDS = re.compile(
    r"\b(not|no|un\w+|invalid|extra|must|only|restricted|expected|cannot|can't|doesn't|mandatory)\b"
)
_TOOLS = re.compile(
    r"does not support (tools|function)|tool use is not supported|enable-auto-tool-choice|requires? --jinja"
    r"|no endpoints found that support tool"
)


def recognise(report: ErrorReport, model: str = "", *, quota_means_rate: bool = False) -> FailureKind:
    """The kind of an error answer. `model` is left out of the text, for its name may hold any word.

    `quota_means_rate` is for providers that say `insufficient_quota` when one calls too fast.
    """
    text = report.text.replace(model.lower(), "") if model else report.text
    code = report.code
    status = report.status or (400 if code in _BAD_CODES else None)
    if quota_means_rate and status == 429 and code == "insufficient_quota":
        return "rate_limit"
    if _is_overflow(status, code, text):
        return "overflow"
    if status == 402 or code in _QUOTA_CODES or (_QUOTA.search(text) and report.retry_after is None):
        return "quota"
    if status != 401 and (code in _OVERLOADED_CODES or status in (503, 529) or _overloaded_by_text(status, text)):
        return "overloaded"
    if status == 429 or (status != 401 and code in _RATE_CODES) or (status is None and _RATE.search(text)):
        return "rate_limit"
    if status in (401, 403) or code in _AUTH_CODES or _AUTH.search(text):
        return "auth"
    if status in (None, 400, 404, 422, 500) and (code in _NOT_FOUND_CODES or _NOT_FOUND.search(text)):
        return "not_found"
    if status in (400, 404, 422) and _THINKING.search(text) and _REFUSAL_WORDS.search(text):
        return "thinking_refused"
    if _TOOLS.search(text):
        return "bad_request"
    if status in (404, 405):
        return "not_found"
    if status is None or status >= 500 or status in (408, 409):
        return "server"
    return "bad_request"


def lacks_tools(report: ErrorReport) -> bool:
    """Whether the server says that this model, started this way, can't call tools."""
    return _TOOLS.search(report.text) is not None


def _is_overflow(status: int | None, code: str, text: str) -> bool:
    if status in (401, 403, 404):
        return False
    if status == 429:
        return "request too large for" in text
    return status == 413 or code in _OVERFLOW_CODES or _OVERFLOW.search(text) is not None


def _overloaded_by_text(status: int | None, text: str) -> bool:
    return (status is None or status >= 429) and _OVERLOADED.search(text) is not None
