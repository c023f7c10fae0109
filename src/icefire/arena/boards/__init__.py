"""What is known, who may see it, and what follows: boards, matrix, frozen board, ceremony, exports."""
